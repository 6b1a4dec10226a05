import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawPictures } from '../../src/pictures/pictures.js';
import { ROOT } from './support/pages.js';

const FOLDER = join(ROOT, 'docs/pictures');

describe('the pictures of the documents', async () => {
  const drawn = await drawPictures();

  it.each([...drawn])('%s shows what the code does now (npm run pictures)', (name, svg) => {
    expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(svg);
  });

  it('are all drawn, and all shown on a page', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...drawn.keys()]);
    const text = ['leases', 'recovery']
      .map((page) => readFileSync(join(ROOT, `docs/guides/${page}.md`), 'utf8'))
      .join();
    for (const name of drawn.keys()) expect(text).toContain(`](../pictures/${name})`);
  });
});
