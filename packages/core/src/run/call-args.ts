import type { ToolCall } from '../contract/index.js';

/** The arguments as the model wrote them; none where they are no JSON object. */
export function argsOf(call: ToolCall): Readonly<Record<string, unknown>> {
  try {
    const args: unknown = JSON.parse(call.function.arguments || '{}');
    return typeof args === 'object' && args !== null ? (args as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
