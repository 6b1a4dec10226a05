import { sharedRedis } from '@lousho/test-backends';
import { expect, it } from 'vitest';
import { askRedis } from './support/ask-redis.js';

it('a shared server is one for all who ask, with names that nobody else has', async () => {
  const [a, b] = await Promise.all([sharedRedis(), sharedRedis()]);
  expect(a.url).toBe(b.url);
  expect(a.freeName()).toMatch(/^t[0-9a-f]{32}$/);
  expect(a.freeName()).not.toBe(b.freeName());
  const { hostname, port } = new URL(a.url);
  expect(await askRedis({ host: hostname, port: Number(port) }, 'PING')).toBe('+PONG');
});
