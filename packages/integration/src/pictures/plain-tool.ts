import { defineTool, type Tool } from '@lousho/core';
import { ANY_OBJECT } from '../any-object.js';

export function plainTool(
  name: string,
  execute: () => Promise<string>,
  options: { readonly needsApproval?: boolean } = {},
): Tool {
  return defineTool({
    name,
    description: name,
    input: ANY_OBJECT,
    inputJsonSchema: { type: 'object' },
    execute,
    ...options,
  });
}
