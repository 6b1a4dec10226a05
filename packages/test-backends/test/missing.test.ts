import { startRedis } from '@lousho/test-backends';
import { expect, it, vi } from 'vitest';

it('a server that is not installed is refused with one line that says how to get it', async () => {
  vi.stubEnv('PATH', '/nowhere');
  const refusal = await startRedis().catch((error: Error) => error.message);
  vi.unstubAllEnvs();
  expect(refusal).toMatch(
    /^Redis did not start \(.*ENOENT\): install redis-server \(`apt-get install redis-server`\), or set REDIS_URL/,
  );
  expect(refusal).not.toContain('\n');
});
