import { type ErrorCode, reasonOf, SDKError, type SDKErrorOptions } from '@lousho/core/contract';

/** What an error of a call means for the call: whether the server answered it, and if not, whether it may be asked again. */
export type Failure =
  /** The connection ended before the answer came: the server may have done it. */
  | 'lost'
  /** The client refused to send it. */
  | 'unsent'
  /** The server cannot answer at the moment and has done nothing. */
  | 'later'
  /** The server is no primary; after a failover another one is. */
  | 'moved'
  /** The server answered before it looked at what is stored. */
  | 'refused'
  /** The server answered with what is stored in view: an earlier attempt of the same call has not been applied, or was undone. */
  | 'answered';

export function failureOf(error: unknown): Failure {
  const code = replyCode(error);
  if (code === undefined) return isUnsent(error) ? 'unsent' : 'lost';
  if (LATER.has(code)) return 'later';
  if (code === 'READONLY') return 'moved';
  return SETTLED.has(code) ? 'answered' : 'refused';
}

export function isUnknownScript(error: unknown): boolean {
  return replyCode(error) === 'NOSCRIPT';
}

/** The server will say the same to every further attempt. */
export function isRejectedLogin(error: unknown): boolean {
  return LOGIN.has(replyCode(error) ?? '');
}

/** What the server says to a database that it does not have, and a cluster to any but the first. */
function isUnknownDatabase(error: unknown): boolean {
  return error instanceof Error && /DB index is out of range|SELECT is not allowed/i.test(error.message);
}

export function isForbidden(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return replyCode(error) === 'NOPERM' || /unknown command|not allowed|disabled/i.test(message);
}

/** The coded error for what the server or the client reported. */
export function codedError(error: unknown, place: string): SDKError {
  const reason = lastNodeErrorOf(error)
    ? `${reasonOf(error)} ${reasonOf(lastNodeErrorOf(error))}`
    : reasonOf(error);
  const code = replyCode(error);
  const [coded, options] = isUnknownDatabase(error) ? UNKNOWN_DATABASE : (FACTS[code ?? ''] ?? OTHER);
  if (code === 'MISCONF' && /No space left/i.test(reason)) {
    return new SDKError('LOUSHO_STORAGE_FULL', `${place}: ${reason}`, { cause: withoutCommand(error) });
  }
  return new SDKError(coded, `${place}: ${reason}`, { ...options, cause: withoutCommand(error) });
}

/** ioredis hangs the whole command on the error, or on the error within that of a cluster: contents of messages, or a password. */
export function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error) || !('command' in error || 'lastNodeError' in error)) return error;
  const bare = new Error(error.message);
  bare.name = error.name;
  if (error.stack !== undefined) bare.stack = error.stack;
  return bare;
}

const LATER: ReadonlySet<string> = new Set(['LOADING', 'BUSY', 'TRYAGAIN', 'CLUSTERDOWN', 'MASTERDOWN']);
const SETTLED: ReadonlySet<string> = new Set(['OOM', 'MISCONF', 'WRONGTYPE', 'NOREPLICAS']);
const LOGIN: ReadonlySet<string> = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM']);

const WRONG_LOGIN: SDKErrorOptions = {
  retryable: false,
  hint: 'Correct the user name and the password in the connection settings.',
};
/** For errors of the client or the network. */
export const AWAY: SDKErrorOptions = {
  retryable: true,
  hint: 'No connection could be had or kept: start the server, or correct host, port and TLS in the connection settings.',
};
const OTHER: readonly [ErrorCode, SDKErrorOptions] = ['LOUSHO_STORAGE_FAILED', AWAY];
const UNKNOWN_DATABASE: readonly [ErrorCode, SDKErrorOptions] = [
  'LOUSHO_STORAGE_FAILED',
  {
    retryable: false,
    hint: 'Name a database that the server has: 0 to 15 if it is set as usual, in a cluster only 0.',
  },
];

const FACTS: Readonly<Record<string, readonly [ErrorCode, SDKErrorOptions]>> = {
  READONLY: [
    'LOUSHO_STORAGE_READ_ONLY',
    {
      retryable: true,
      hint: 'The server is a replica, perhaps since a failover. Connect through Sentinel or the cluster, or to the primary.',
    },
  ],
  OOM: [
    'LOUSHO_STORAGE_FULL',
    { hint: 'Raise `maxmemory`, or remove what is over with prune(). What was stored before is unchanged.' },
  ],
  MISCONF: [
    'LOUSHO_STORAGE_READ_ONLY',
    {
      retryable: true,
      hint: "The server cannot write to its disk and takes no writes. Look at the server's log.",
    },
  ],
  NOREPLICAS: [
    'LOUSHO_STORAGE_READ_ONLY',
    { retryable: true, hint: 'Too few replicas are connected to the server.' },
  ],
  BUSY: ['LOUSHO_STORAGE_BUSY', { hint: 'A script of another program occupies the server. Try again.' }],
  LOADING: ['LOUSHO_STORAGE_BUSY', { hint: 'The server is reading its data after a start. Try again.' }],
  NOAUTH: ['LOUSHO_STORAGE_FAILED', WRONG_LOGIN],
  WRONGPASS: ['LOUSHO_STORAGE_FAILED', WRONG_LOGIN],
  NOPERM: [
    'LOUSHO_STORAGE_READ_ONLY',
    { hint: 'Give the user the rights that the README of the package names, on all keys under the prefix.' },
  ],
  WRONGTYPE: [
    'LOUSHO_STORAGE_INCOMPATIBLE',
    { hint: 'Another program uses a key of this store. Give the store a `prefix` of its own.' },
  ],
  CROSSSLOT: ['LOUSHO_STORAGE_FAILED', { retryable: false }],
  ERR: ['LOUSHO_STORAGE_FAILED', { retryable: false }],
};

/** The first word of a server's reply, which is its code; `undefined` for an error that is the client's or the network's. */
function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const ofNode = replyCodeOfNode(error);
  if (ofNode !== undefined) return ofNode;
  // Before version 7 an error inside a script stood at the end of one about the script.
  const inner = /^ERR Error running script.*?-([A-Z]{3,})\b/s.exec(error.message);
  if (inner) return inner[1];
  // What ioredis reports when it gives up on a cluster repeats the last reply.
  const isReply =
    error.name === 'ReplyError' ||
    /^(Ready check failed: )?(LOADING|NOAUTH|WRONGPASS|NOPERM|READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN) /.test(
      error.message,
    );
  if (!isReply) return undefined;
  return /^(?:Ready check failed: )?([A-Z]{3,})\b/.exec(error.message)?.[1] ?? 'ERR';
}

/** A cluster's client that found no node to ask names the last one's error. */
function replyCodeOfNode(error: Error): string | undefined {
  const ofNode = lastNodeErrorOf(error);
  return ofNode === undefined ? undefined : replyCode(ofNode);
}

function lastNodeErrorOf(error: unknown): unknown {
  return error instanceof Error ? (error as { lastNodeError?: unknown }).lastNodeError : undefined;
}

function isUnsent(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Stream isn't writeable");
}
