import type { ToolCall } from '../contract/index.js';
import type { StandardIssue, StandardResult, Tool } from '../ports/index.js';
import type { ToolFault } from '../run/tool-result.js';
import { isPropagating } from './propagating.js';

export interface ValidArgs {
  readonly isValid: true;
  /** What the schema was given. */
  readonly input: unknown;
  /** What the schema made of it. */
  readonly args: unknown;
}

export type Validated = ValidArgs | { readonly isValid: false; readonly fault: ToolFault };

/** The call's arguments as the tool's schema reads them, or the fault that the model is told. */
export async function parseArgs(tool: Tool, call: ToolCall): Promise<Validated> {
  let value: unknown;
  try {
    // Models write nothing at all for a tool without arguments.
    value = call.function.arguments.trim() === '' ? {} : JSON.parse(call.function.arguments);
  } catch (error) {
    return { isValid: false, fault: fault(`the arguments are not JSON: ${(error as Error).message}`, []) };
  }
  return validateArgs(tool, value);
}

export async function validateArgs(tool: Tool, value: unknown): Promise<Validated> {
  const result = await validated(tool, value);
  if (!result.issues) return { isValid: true, input: value, args: result.value };
  const issues = result.issues.map(describe);
  const text = issues
    .map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message))
    .join('; ');
  return { isValid: false, fault: fault(`invalid arguments: ${text}`, issues) };
}

/** A schema that throws refuses the arguments; only a `PropagatingToolError` goes on to reject the run. */
async function validated(tool: Tool, value: unknown): Promise<StandardResult<unknown>> {
  try {
    return await tool.input['~standard'].validate(value);
  } catch (thrown) {
    if (isPropagating(thrown)) throw thrown;
    return { issues: [{ message: thrown instanceof Error ? thrown.message : 'the schema threw' }] };
  }
}

function fault(message: string, issues: readonly object[]): ToolFault {
  return { kind: 'validation', error: 'ToolArgumentsValidationError', message, extra: { issues } };
}

function describe(issue: StandardIssue): { path: string; message: string } {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return { path, message: issue.message };
}
