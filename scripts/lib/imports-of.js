/**
 * Every import of one source file, read from its syntax tree: `import`, `export ... from`, `import()`, `import('x').Type` and
 * `import x = require('x')`. Comments and strings that look like imports don't count.
 */
import { parseSync, Visitor } from 'oxc-parser';

/**
 * @typedef {object} Import
 * @property {string | undefined} specifier `undefined` when it is computed, as in `import(path)`
 * @property {boolean} isTypeOnly leaves nothing behind in the JavaScript
 * @property {number} line
 */

/** @returns {Import[]} */
export function importsOf(path, text) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0].message}`);

  const found = [];
  const add = (source, isTypeOnly) => {
    const line = text.slice(0, source.start).split('\n').length;
    const specifier = typeof source.value === 'string' ? source.value : undefined;
    found.push({ specifier, isTypeOnly, line });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => node.source && add(node.source, node.exportKind === 'type'),
    ImportExpression: (node) => add(node.source, false),
    TSImportType: (node) => add(node.source, true),
    TSExternalModuleReference: (node) => add(node.expression, false),
  }).visit(program);
  return found;
}
