import { type AgentStore, type Checkpoint, PropagatingToolError } from '../contract/index.js';
import type { LLMProvider, ModelRequest, ModelStreamPart, Tool } from '../ports/index.js';
import type { EffectLedger } from './effect-ledger.js';

/** A store, model or tool call of a run: where a process can die. */
export interface Operation {
  readonly kind: 'store' | 'model' | 'tool';
  readonly name: string;
}

/** Dies at the `n`-th operation (from 1), before it happens or after it happened and before anybody hears of it. */
export interface CrashPoint {
  readonly n: number;
  readonly side: 'before' | 'after';
}

/** What the simulated death of a process throws. The run cannot catch it, and nothing of it reaches the store any more. */
export class SimulatedCrash extends PropagatingToolError {
  constructor() {
    super('the process died here');
  }
}

/**
 * One life of a process: every store, model and tool call goes through it, is counted, and fails once the process has died.
 * `die` may end the real process instead.
 */
export class CrashWorld {
  readonly operations: Operation[] = [];
  #isDead = false;

  constructor(
    readonly ledger: EffectLedger,
    readonly crashAt?: CrashPoint,
    readonly die: () => void = () => undefined,
  ) {}

  get hasCrashed(): boolean {
    return this.#isDead;
  }

  store(store: AgentStore): AgentStore {
    return {
      ...(store.checkpoints && { checkpoints: this.#part(store.checkpoints, 'checkpoints') }),
      ...(store.approvals && { approvals: this.#part(store.approvals, 'approvals') }),
      ...(store.sessions && { sessions: this.#part(store.sessions, 'sessions') }),
    };
  }

  provider(provider: LLMProvider): LLMProvider {
    const { generate, stream } = provider;
    return {
      name: provider.name,
      ...(provider.defaultModel !== undefined && { defaultModel: provider.defaultModel }),
      generate: (request) =>
        this.#operation({ kind: 'model', name: 'generate' }, () => {
          this.ledger.noteModelCall(request.messages);
          return generate.call(provider, request);
        }),
      ...(stream && { stream: (request) => this.#streamed(stream.call(provider, request), request) }),
    };
  }

  tools(tools: readonly Tool[]): readonly Tool[] {
    return tools.map((tool) => ({
      ...tool,
      execute: (args, context) =>
        this.#operation({ kind: 'tool', name: tool.name }, async () => {
          this.ledger.noteToolCall(context.messages, context.toolCallId);
          return tool.execute(args, context);
        }),
    }));
  }

  /** A stream is one operation: what a process heard of it before it died is as lost as the rest. */
  async *#streamed(
    stream: AsyncIterable<ModelStreamPart>,
    request: ModelRequest,
  ): AsyncGenerator<ModelStreamPart> {
    yield* await this.#operation({ kind: 'model', name: 'stream' }, async () => {
      this.ledger.noteModelCall(request.messages);
      const parts: ModelStreamPart[] = [];
      for await (const part of stream) parts.push(part);
      return parts;
    });
  }

  /** The part with every method counted; only those that it has. */
  #part<T extends object>(part: T, name: string): T {
    return new Proxy(part, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function' || key === 'constructor') return value;
        return (...args: unknown[]) =>
          this.#operation({ kind: 'store', name: `${name}.${String(key)}` }, async () => {
            const answer: unknown = await Reflect.apply(value, target, args);
            if (name === 'checkpoints' && isAccepted(String(key), answer))
              this.ledger.noteStored(args[1] as Checkpoint);
            return answer;
          });
      },
    });
  }

  async #operation<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
    if (this.#isDead) throw new SimulatedCrash();
    this.operations.push(operation);
    const n = this.operations.length;
    if (this.crashAt?.n === n && this.crashAt.side === 'before') this.#crash();
    const outcome = await outcomeOf(work);
    if (this.#isDead) throw new SimulatedCrash();
    if (this.crashAt?.n === n && this.crashAt.side === 'after') this.#crash();
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  #crash(): never {
    this.#isDead = true;
    this.die();
    throw new SimulatedCrash();
  }
}

/** An operation that fails has happened too. */
async function outcomeOf<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

function isAccepted(method: string, answer: unknown): boolean {
  return (method === 'save' && answer === undefined) || (method === 'saveIfLeased' && answer === true);
}
