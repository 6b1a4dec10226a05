import { ConfigurationError, expected, type Message } from '../contract/index.js';
import type { InferOutput, StandardSchema } from './standard-schema.js';

/** What a tool knows about the call that it answers. */
export interface ToolContext {
  readonly toolName: string;
  /** The model's id of this call, the same when the call runs again after a crash: an idempotency key for a re-run of one call. */
  readonly toolCallId: string;
  readonly runId: string;
  readonly sessionId?: string;
  /** 1-based number of the run's step that made the call. */
  readonly stepIndex: number;
  /** Fires when the run is aborted or has lost its lease. */
  readonly signal: AbortSignal;
  /**
   * The lease's epoch: grows each time the run changes hands. Hand it to systems that can refuse writes with an older one.
   * Absent without a session id and on stores that mint none.
   */
  readonly fencingToken?: number;
  /**
   * Runs a part of the call once: its value is kept with the run, and a call that runs again after a crash gets it instead of running
   * the part again. Names are unique within a call; the value is JSON or bytes. A part that was cut off runs again, one that failed may
   * be tried again. Wait for it before the call ends. Rejects with what `work` throws, with `LOUSHO_VALUE_INVALID` for a value that
   * cannot be kept, with `LOUSHO_SESSION_BUSY` when the lease is lost.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>;
  /** The transcript up to and with the turn that made this call. */
  readonly messages: readonly Message[];
  readonly businessState?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly principal?: unknown;
  /** The decision of a call that a person approved. `id` names the approval: an idempotency key for an approved effect. */
  readonly approval?: { readonly id: string; readonly note?: string; readonly by?: unknown };
}

/** Who is asked before a call runs: `true` or `'ask'` asks a person, `false` or `'approve'` nobody, a denial runs nothing. */
export type ApprovalNeed = boolean | 'ask' | 'approve' | 'deny' | { readonly deny: string };

/** What a look at the world says about an interrupted call. */
export type Reconciled =
  /** The effect happened, and this is the call's result. */
  | { readonly outcome: 'happened'; readonly result: unknown }
  /** It provably did not happen: the call runs. */
  | { readonly outcome: 'not-happened' }
  | { readonly outcome: 'unknown' };

interface ToolSafety<Args> {
  /**
   * Asks a person before the call runs. A function decides by the validated arguments. The approved call runs at most once, with
   * exactly the arguments that the person was shown.
   */
  readonly needsApproval?:
    | ApprovalNeed
    | ((args: Args, context: ToolContext) => ApprovalNeed | Promise<ApprovalNeed>);
  /**
   * What becomes of a call whose process died in it. `'always'` (default): it runs again on resume. `'never'`: its start is saved
   * before it runs, and an interrupted call gets an `interrupted` result instead of a second run. An approved call never runs again.
   */
  readonly rerun?: 'always' | 'never';
  /** Asked on resume about an interrupted call that is not to run again: whether its effect happened. */
  readonly reconcile?: (args: Args, context: ToolContext) => Reconciled | Promise<Reconciled>;
}

/** A tool as an agent holds it. Make one with `defineTool`. */
export interface Tool extends ToolSafety<unknown> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly input: StandardSchema;
  /** May run again after a crash unless `rerun` says otherwise. */
  readonly execute: (args: unknown, context: ToolContext) => unknown;
  /** Left out of the agent's fingerprint: the tool follows from something else of the agent. */
  readonly isTransient?: true;
  /** Set for the built-in tool that asks a person a question. */
  readonly asks?: 'question';
}

/** The input of a tool that takes none. */
type NoInput = StandardSchema<unknown, Record<string, never>>;

export interface ToolDefinition<Schema extends StandardSchema> extends ToolSafety<InferOutput<Schema>> {
  /** 1-64 characters of letters, digits, `_` and `-`. */
  readonly name: string;
  /** Tells the model when and how to use it. */
  readonly description: string;
  /** zod 4 or any other Standard Schema of an object. Left out, the tool takes no arguments. */
  readonly input?: Schema;
  /** The JSON Schema for the model, for a library whose schemas cannot make one (zod from 4.2 on can). */
  readonly inputJsonSchema?: Readonly<Record<string, unknown>>;
  /**
   * Returns JSON or bytes. A thrown error becomes a structured result that the model sees; a `PropagatingToolError` rejects the run.
   */
  readonly execute: (args: InferOutput<Schema>, context: ToolContext) => unknown;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const OPTIONS = [
  'name',
  'description',
  'input',
  'inputJsonSchema',
  'execute',
  'needsApproval',
  'rerun',
  'reconcile',
];

/** A checked tool. Rejects a wrong definition at once, with `LOUSHO_CONFIG_INVALID`. */
export function defineTool<Schema extends StandardSchema = NoInput>(
  definition: ToolDefinition<Schema>,
): Tool {
  const { name, description, execute } = definition;
  // Not for an `input` that is there and undefined, or a JSON Schema without one: somebody meant to say more.
  const isWithout = !('input' in definition) && !('inputJsonSchema' in definition);
  const input = isWithout ? NO_INPUT : definition.input;
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
  if (!input || typeof input['~standard']?.validate !== 'function') {
    throw expected(`${name}.input`, 'a Standard Schema, such as a zod 4 object', input);
  }
  const { needsApproval, rerun, reconcile } = definition;
  if (rerun !== undefined && rerun !== 'always' && rerun !== 'never') {
    throw expected(`${name}.rerun`, "'always' or 'never'", rerun);
  }
  if (reconcile !== undefined && typeof reconcile !== 'function') {
    throw expected(`${name}.reconcile`, 'a function', reconcile);
  }
  if (needsApproval !== undefined && typeof needsApproval !== 'function')
    assertApprovalNeed(name, needsApproval);
  return {
    ...(needsApproval !== undefined && {
      needsApproval: needsApproval as NonNullable<Tool['needsApproval']>,
    }),
    ...(rerun !== undefined && { rerun }),
    ...(reconcile !== undefined && { reconcile: reconcile as NonNullable<Tool['reconcile']> }),
    name,
    description,
    input,
    inputSchema: definition.inputJsonSchema ?? jsonSchemaOf(name, input),
    execute: (args, context) => execute(args as InferOutput<Schema>, context),
  };
}

/** Whatever a model sends along: there is nothing that could be wrong. */
const NO_INPUT: NoInput = {
  '~standard': {
    version: 1,
    vendor: 'lousho',
    validate: () => ({ value: {} }),
    jsonSchema: { input: () => ({ type: 'object', properties: {} }) },
  },
};

/** Refuses what is not an answer to whether a call needs approval: it must not be taken for a no. */
export function assertApprovalNeed(name: string, need: unknown): asserts need is ApprovalNeed {
  const isDenial =
    typeof need === 'object' && need !== null && typeof (need as { deny?: unknown }).deny === 'string';
  if (typeof need === 'boolean' || need === 'ask' || need === 'approve' || need === 'deny' || isDenial)
    return;
  throw expected(
    `${name}.needsApproval`,
    "a boolean, 'ask', 'approve', 'deny', { deny: reason } or a function of them",
    need,
  );
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
