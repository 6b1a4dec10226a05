import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChatAnswer, type ChatError, type ChatReply, completion, event, events } from './chat-answer.js';
import { refusalOf } from './chat-refusals.js';
import type { ChatRequest } from './chat-request.js';

export interface ChatServerOptions {
  /** What is answered to a request that is not refused. */
  readonly answer: (request: ChatRequest) => ChatAnswer | Promise<ChatAnswer>;
  /** Calls are signed, and a call that comes back without its signature is refused. Default false. */
  readonly signsCalls?: boolean;
  /** A longer request is refused, at four characters a token. Default: none is too long. */
  readonly contextTokens?: number;
}

/** A model behind OpenAI's chat completions on the loopback interface, which refuses what the vendors refuse. */
export interface ChatServer {
  /** `http://127.0.0.1:<port>/v1`. */
  readonly baseURL: string;
  /** The only key that is let in. */
  readonly apiKey: string;
  /** Every request that was let in, refused ones included. */
  readonly requests: readonly ChatRequest[];
  /** Headers of each of them. */
  readonly headers: readonly IncomingMessage['headers'][];
  /** Why requests were refused with status 400, in words. */
  readonly refusals: readonly string[];
  /** Resolves when a caller has hung up before it had its answer: the next one, or the one that did since the last call. */
  hungUp(): Promise<void>;
  close(): Promise<void>;
}

export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const { signsCalls = false, contextTokens = Number.POSITIVE_INFINITY } = options;
  const apiKey = 'key-of-the-tests';
  const requests: ChatRequest[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const refusals: string[] = [];
  const hangUps = tally();

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.once('close', () => !response.writableFinished && hangUps.add());
    const body = await textOf(incoming);
    if (incoming.method !== 'POST' || incoming.url !== '/v1/chat/completions')
      return fail(response, 404, { message: `Unknown request URL: ${incoming.method} ${incoming.url}` });
    if (incoming.headers.authorization !== `Bearer ${apiKey}`)
      return fail(response, 401, {
        ...INVALID,
        message: 'Incorrect API key provided.',
        code: 'invalid_api_key',
      });
    const request = JSON.parse(body) as ChatRequest;
    requests.push(request);
    headers.push(incoming.headers);
    const refusal = refusalOf(request, { signsCalls });
    if (refusal !== undefined) {
      refusals.push(refusal);
      return fail(response, 400, { ...INVALID, message: refusal });
    }
    if (body.length / 4 > contextTokens) {
      const message = `This model's maximum context length is ${contextTokens} tokens. Please reduce the length of the messages.`;
      return fail(response, 400, { ...INVALID, message, code: 'context_length_exceeded' });
    }
    give(response, request, await options.answer(request), signsCalls);
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => fail(response, 500, { message: String(error) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey,
    requests,
    headers,
    refusals,
    hungUp: hangUps.next,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const INVALID = { type: 'invalid_request_error' };

function give(response: ServerResponse, request: ChatRequest, answer: ChatAnswer, signsCalls: boolean): void {
  if ('status' in answer) {
    fail(response, answer.status, answer.error, answer.headers);
    return;
  }
  const reply: ChatReply = 'reply' in answer ? answer.reply : answer;
  const body = request.stream
    ? events(reply, { request, signsCalls })
    : halves(completion(reply, { request, signsCalls }));
  const begun = body.slice(0, Math.ceil(body.length / 2));
  const begin = () =>
    response.writeHead(200, { 'content-type': request.stream ? 'text/event-stream' : 'application/json' });
  if ('cut' in answer) {
    if (answer.cut === 'before') response.destroy();
    else if (answer.cut === 'early') begin().end(begun.join(''));
    else begin().write(begun.join(''), () => response.destroy());
  } else if ('streamError' in answer) {
    begin().end([...begun, event({ error: answer.streamError }), 'data: [DONE]\n\n'].join(''));
  } else if ('silence' in answer) {
    if (answer.silence === 'within') begin().write(begun.join(''));
  } else {
    begin().end(body.join(''));
  }
}

function fail(
  response: ServerResponse,
  status: number,
  error: ChatError,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error }));
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding('utf8');
  let text = '';
  for await (const chunk of incoming) text += chunk as string;
  return text;
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** Counts what happens, and lets somebody wait for the next of it. */
function tally(): { add(): void; next(): Promise<void> } {
  let ready = 0;
  const waiting: (() => void)[] = [];
  return {
    add: () => {
      const first = waiting.shift();
      if (first) first();
      else ready += 1;
    },
    next: () => {
      if (ready === 0) return new Promise((resolve) => waiting.push(resolve));
      ready -= 1;
      return Promise.resolve();
    },
  };
}
