import { defineTool, type Tool, type ToolContext } from '@lousho/core';
import { z } from 'zod';

/** A tool that takes any object. */
export function tool(
  name: string,
  execute: (args: unknown, context: ToolContext) => unknown = () => name,
): Tool {
  return defineTool({ name, description: name, input: z.looseObject({}), execute });
}

/** A tool that counts how often it was started, by call id. */
export function countingTool(
  name: string,
  execute: (args: unknown, context: ToolContext) => unknown = () => `${name} done`,
): Tool & { readonly started: string[] } {
  const started: string[] = [];
  const counted = tool(name, (args, context) => {
    started.push(context.toolCallId);
    return execute(args, context);
  });
  return Object.assign(counted, { started });
}

/** A turn that calls one tool per id; the tool has the id's name. */
export function calls(...ids: readonly string[]) {
  return { toolCalls: ids.map((id) => ({ name: id, id })) };
}
