import { readFileSync } from 'node:fs';

/** The installed versions of packages, by name. */
export function versionOf(...names) {
  return Object.fromEntries(
    names.map((name) => {
      const url = new URL(`./node_modules/${name}/package.json`, import.meta.url);
      return [name, JSON.parse(readFileSync(url, 'utf8')).version];
    }),
  );
}
