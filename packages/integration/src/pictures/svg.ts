/** The few shapes that the pictures are made of. Colours follow the reader's light or dark mode. */

const STYLE = `
    svg { --ink: #1f2328; --soft: #656d76; --line: #d0d7de; --fill: #f6f8fa; --new: #ddf4ff; --newline: #54aeff; --good: #1a7f37; --bad: #cf222e; }
    @media (prefers-color-scheme: dark) {
      svg { --ink: #e6edf3; --soft: #8d96a0; --line: #3d444d; --fill: #21262d; --new: #0c2d6b; --newline: #388bfd; --good: #3fb950; --bad: #f85149; }
    }
    text { font: 13px system-ui, sans-serif; fill: var(--ink); }
    .soft { fill: var(--soft); font-size: 12px; }
    .strong { font-weight: 600; }
    .box { fill: var(--fill); stroke: var(--line); }
    .new { fill: var(--new); stroke: var(--newline); }
    .line { stroke: var(--line); fill: none; }
    .arrow { stroke: var(--soft); fill: none; marker-end: url(#head); }
    .good { fill: var(--good); }
    .bad { fill: var(--bad); }
    .cross { stroke: var(--bad); stroke-width: 2.5; }`;

export interface PictureOptions {
  readonly width: number;
  readonly height: number;
  /** What the picture shows, for those who do not see it. */
  readonly title: string;
  readonly says: string;
}

export function picture({ width, height, title, says }: PictureOptions, shapes: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title says">
  <title id="title">${escaped(title)}</title>
  <desc id="says">${escaped(says)}</desc>
  <style>${STYLE}
  </style>
  <defs>
    <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
      <path d="M0 0 L8 4 L0 8 z" fill="context-stroke"/>
    </marker>
  </defs>
${shapes.map((shape) => `  ${shape}`).join('\n')}
</svg>
`;
}

export interface TextOptions {
  readonly class?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

export function text(x: number, y: number, content: string, options: TextOptions = {}): string {
  const { class: name, anchor } = options;
  const attributes = `${name ? ` class="${name}"` : ''}${anchor ? ` text-anchor="${anchor}"` : ''}`;
  return `<text x="${x}" y="${y}"${attributes}>${escaped(content)}</text>`;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function box({ x, y, width, height }: Rectangle, name = 'box'): string {
  return `<rect class="${name}" x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/>`;
}

export function path(d: string, name = 'line'): string {
  return `<path class="${name}" d="${d}"/>`;
}

/** Where something ended: a cross. */
export function cross(x: number, y: number): string {
  return path(`M${x - 5} ${y - 5} L${x + 5} ${y + 5} M${x + 5} ${y - 5} L${x - 5} ${y + 5}`, 'cross');
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
