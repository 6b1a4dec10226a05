import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawPictures } from './pictures.js';

const folder = fileURLToPath(new URL('../../../../docs/pictures/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [name, svg] of await drawPictures()) {
  writeFileSync(new URL(name, `file://${folder}`), svg);
  console.log(`docs/pictures/${name}`);
}
