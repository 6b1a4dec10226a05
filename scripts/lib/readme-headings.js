/**
 * Every store's README has the same headings in the same order, so that two stores can be read side by side.
 */
export const STORE_HEADINGS = [
  'What it is',
  'Install',
  'Use',
  'What it promises',
  'Options',
  'Setting up',
  'Operating',
  'Errors',
];

/** @returns {string | undefined} what is wrong with the headings of a store's README */
export function headingFault(markdown) {
  const withoutCode = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
  const headings = [...withoutCode.matchAll(/^## +(.+?)\s*$/gm)].map(([, title]) => title);
  if (headings.join('\n') === STORE_HEADINGS.join('\n')) return undefined;
  return `README.md should have the headings ${STORE_HEADINGS.join(', ')}; it has ${headings.join(', ') || 'none'}`;
}
