import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { ROOT } from '../lib/workspace.js';

it('core is below 60 KB, bundled, minified and gzipped', async () => {
  const bundle = await rolldown({
    input: join(ROOT, 'packages/core/dist/index.js'),
    platform: 'neutral',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  const kilobytes = gzipSync(output.map(({ code }) => code).join(''), { level: 9 }).length / 1024;
  expect(kilobytes).toBeGreaterThan(10);
  expect(kilobytes).toBeLessThan(60);
});
