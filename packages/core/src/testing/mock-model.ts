import { ConfigurationError, type ModelUsage, SDKError, type ToolCall } from '../contract/index.js';
import type {
  LLMProvider,
  ModelFinishReason,
  ModelRequest,
  ModelResponse,
  ModelStreamPart,
} from '../ports/index.js';

export interface MockTurn {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly args?: unknown; readonly id?: string }[];
  /** Thrown instead of an answer. */
  readonly error?: unknown;
  readonly usage?: ModelUsage;
  readonly finishReason?: ModelFinishReason;
  /** Milliseconds before the answer. */
  readonly delayMs?: number;
  /** Answers even after the request's signal fired. */
  readonly ignoreSignal?: boolean;
}

/** What a model answers: a reply's text, the names of tools to call without arguments, or all of it. */
export type MockAnswer = string | readonly string[] | MockTurn;

/** A turn of a script: an answer, or a function of the request. */
export type MockScriptTurn = MockAnswer | ((request: ModelRequest) => MockAnswer | Promise<MockAnswer>);

export interface MockModelOptions {
  /** When the script is over: throw `LOUSHO_TEST_FAILED` (the default), or go on with its last turn. */
  readonly onExhausted?: 'throw' | 'repeat-last';
  /**
   * Which turn is due: the one after the requests so far (the default), or the one after the answers that the transcript holds, as for a
   * real model. By transcript, a fresh process goes on where the run was cut.
   */
  readonly turnBy?: 'request' | 'transcript';
  readonly defaultModel?: string;
}

/** A model that follows a script, in order. */
export interface MockModel extends LLMProvider {
  /** Every request so far, failed ones included, frozen as it was. */
  readonly calls: readonly ModelRequest[];
  readonly lastCall: ModelRequest | undefined;
  /** Starts the script again and forgets the calls. */
  reset(): void;
  /** Throws `LOUSHO_TEST_FAILED` if turns are left. */
  assertExhausted(): void;
}

export function mockModel(script: readonly MockScriptTurn[], options: MockModelOptions = {}): MockModel {
  if (!Array.isArray(script))
    throw new ConfigurationError('Expected `script` to be an array of turns', { field: 'script' });
  const isByTranscript = options.turnBy === 'transcript';
  let calls: ModelRequest[] = [];
  let callIds = 0;
  let turnsReached = 0;

  async function answer(request: ModelRequest): Promise<ModelResponse> {
    const index = isByTranscript ? answersIn(request) : calls.length;
    calls.push(frozen(request));
    turnsReached = Math.max(turnsReached, index + 1);
    request.signal?.throwIfAborted();
    const turn = await turnAt(index, request);
    await delay(turn, request.signal);
    if (turn.error !== undefined) throw turn.error;
    const toolCalls = (turn.toolCalls ?? []).map(
      ({ name, args, id }, nth): ToolCall => ({
        // By transcript, from where the call stands: a count would begin again in a fresh process.
        id: id ?? (isByTranscript ? `call_${index + 1}_${nth + 1}` : `call_${++callIds}`),
        type: 'function',
        function: { name, arguments: JSON.stringify(args ?? {}) },
      }),
    );
    return {
      text: turn.text ?? '',
      finishReason: turn.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(turn.usage && { usage: turn.usage }),
    };
  }

  async function turnAt(index: number, request: ModelRequest): Promise<MockTurn> {
    const isOver = index >= script.length;
    if (isOver && options.onExhausted !== 'repeat-last') {
      throw new SDKError(
        'LOUSHO_TEST_FAILED',
        `the script has ${script.length} turns, and request ${index + 1} came`,
      );
    }
    const entry = script[Math.min(index, script.length - 1)] ?? '';
    const answer = typeof entry === 'function' ? await entry(request) : entry;
    if (typeof answer === 'string') return { text: answer };
    return isNames(answer) ? { toolCalls: answer.map((name) => ({ name })) } : answer;
  }

  return {
    name: 'mock',
    ...(options.defaultModel !== undefined && { defaultModel: options.defaultModel }),
    generate: answer,
    stream: (request) => parts(answer(request), request.signal),
    get calls() {
      return calls;
    },
    get lastCall() {
      return calls.at(-1);
    },
    reset: () => {
      calls = [];
      callIds = 0;
      turnsReached = 0;
    },
    assertExhausted: () => {
      if (turnsReached < script.length) {
        throw new SDKError(
          'LOUSHO_TEST_FAILED',
          `the script has ${script.length} turns, and only ${turnsReached} ${isByTranscript ? 'were due' : 'requests came'}`,
        );
      }
    },
  };
}

function isNames(answer: MockAnswer): answer is readonly string[] {
  return Array.isArray(answer);
}

function answersIn({ messages }: ModelRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

/** Word by word, then the whole response. */
async function* parts(
  answer: Promise<ModelResponse>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelStreamPart> {
  const response = await answer;
  for (const delta of response.text?.match(/^\s+|\S+\s*/g) ?? []) {
    signal?.throwIfAborted();
    yield { type: 'text-delta', delta };
  }
  yield { type: 'finish', response };
}

async function delay(turn: MockTurn, signal: AbortSignal | undefined): Promise<void> {
  if (!turn.delayMs) return;
  if (!turn.ignoreSignal) signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, turn.delayMs);
    if (turn.ignoreSignal) return;
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

function frozen(request: ModelRequest): ModelRequest {
  const { signal, ...data } = request;
  return deepFreeze({ ...structuredClone(data), ...(signal && { signal }) });
}

function deepFreeze<T>(value: T): T {
  if (
    typeof value !== 'object' ||
    value === null ||
    value instanceof AbortSignal ||
    ArrayBuffer.isView(value)
  )
    return value;
  for (const entry of Object.values(value)) deepFreeze(entry);
  return Object.freeze(value);
}
