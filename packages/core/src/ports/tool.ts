import { ConfigurationError, expected, type Message } from '../contract/index.js';
import type { InferOutput, StandardSchema } from './standard-schema.js';

/** What a tool knows about the call that it answers. */
export interface ToolContext {
  readonly toolName: string;
  /** The model's id of this call, the same when the call runs again after a crash: an idempotency key for a re-run of one call. */
  readonly toolCallId: string;
  readonly runId: string;
  readonly sessionId?: string;
  /** 1-based step of the run. */
  readonly step: number;
  /** Fires when the run is aborted or has lost its lease. */
  readonly signal: AbortSignal;
  /**
   * The lease's epoch: grows each time the run changes hands. Hand it to systems that can refuse writes with an older one.
   * Absent without a session id and on stores that mint none.
   */
  readonly fencingToken?: number;
  /** The transcript up to and with the turn that made this call. */
  readonly messages: readonly Message[];
  readonly businessState?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly principal?: unknown;
}

/** A tool as an agent holds it. Make one with `defineTool`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly input: StandardSchema;
  /** May run again after a crash: tools are at-least-once unless their effect is idempotent. */
  readonly execute: (args: unknown, context: ToolContext) => unknown;
}

export interface ToolDefinition<Schema extends StandardSchema> {
  /** 1-64 characters of letters, digits, `_` and `-`. */
  readonly name: string;
  /** Tells the model when and how to use it. */
  readonly description: string;
  /** zod 4 or any other Standard Schema of an object. */
  readonly input: Schema;
  /** The JSON Schema for the model, for a library whose schemas cannot make one (zod from 4.2 on can). */
  readonly inputJsonSchema?: Readonly<Record<string, unknown>>;
  /**
   * Returns JSON or bytes. A thrown error becomes a structured result that the model sees; a `PropagatingToolError` rejects the run.
   */
  readonly execute: (args: InferOutput<Schema>, context: ToolContext) => unknown;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const OPTIONS = ['name', 'description', 'input', 'inputJsonSchema', 'execute'];

/** A checked tool. Rejects a wrong definition at once, with `LOUSHO_CONFIG_INVALID`. */
export function defineTool<Schema extends StandardSchema>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, input, execute } = definition;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw expected('name', '1-64 characters of letters, digits, _ and -', name);
  }
  for (const option of Object.keys(definition)) {
    // An option that is passed over in silence might have been meant as a guard.
    if (!OPTIONS.includes(option))
      throw expected(`tool ${name}`, `one of the options ${OPTIONS.join(', ')}`, option);
  }
  if (typeof description !== 'string') throw expected(`${name}.description`, 'a string', description);
  if (typeof execute !== 'function') throw expected(`${name}.execute`, 'a function', execute);
  if (typeof input?.['~standard']?.validate !== 'function') {
    throw expected(`${name}.input`, 'a Standard Schema, such as a zod 4 object', input);
  }
  return {
    name,
    description,
    input,
    inputSchema: definition.inputJsonSchema ?? jsonSchemaOf(name, input),
    execute: (args, context) => execute(args as InferOutput<Schema>, context),
  };
}

function jsonSchemaOf(name: string, schema: StandardSchema): Readonly<Record<string, unknown>> {
  const make = schema['~standard'].jsonSchema?.input;
  if (!make) {
    throw new ConfigurationError(
      `Expected \`${name}.inputJsonSchema\`: schemas of ${schema['~standard'].vendor} cannot be turned into JSON Schema`,
      { field: 'inputJsonSchema' },
    );
  }
  const { $schema: _, ...jsonSchema } = make({ target: 'draft-2020-12' });
  return jsonSchema;
}
