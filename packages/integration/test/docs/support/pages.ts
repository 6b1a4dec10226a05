import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

/** A document of the repository; `path` is relative to its root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

/** Everything that is written for readers. */
export function readPages(): readonly Page[] {
  return [
    ...markdownIn('.'),
    ...markdownBelow('docs'),
    ...packageReadmes(),
    ...markdownBelow('examples'),
  ].map(readPage);
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(page: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const title of headingsOf(page)) {
    const slug = slugOf(title);
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy++) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

export function headingsOf(page: Page): readonly string[] {
  return [...withoutCode(page.text).matchAll(/^#{1,6} +(.+?)\s*$/gm)].map(([, title]) => title ?? '');
}

/** The targets of all links and images. */
export function linksOf(page: Page): readonly string[] {
  const prose = withoutCode(page.text).replace(/`[^`\n]*`/g, (code) => (code.includes('](') ? '' : code));
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: +"[^"]*")?\)/g)].map(([, target]) => target ?? '');
}

function slugOf(title: string): string {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function withoutCode(text: string): string {
  return text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1[ \t]*$/gm, '');
}

function packageReadmes(): readonly string[] {
  const names = readdirSync(join(ROOT, 'packages')).sort();
  return names.map((name) => `packages/${name}/README.md`).filter((path) => existsSync(join(ROOT, path)));
}

function markdownIn(folder: string): readonly string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => (folder === '.' ? name : `${folder}/${name}`));
}

function markdownBelow(folder: string): readonly string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  return [...markdownIn(folder), ...folders.flatMap(({ name }) => markdownBelow(`${folder}/${name}`))];
}
