import type { ChatAnswer } from '@lousho/test-backends';

/** One start of an example's program. */
export interface Start {
  /** Killed with SIGKILL as soon as it prints this. Without it, it must end by itself with the exit code. */
  readonly killAt?: string;
  /** Default 0. */
  readonly exitCode?: number;
  /** All that it must print, where the program itself does not check it. */
  readonly prints?: readonly string[];
}

export interface Example {
  readonly name: string;
  /** Below this folder; what is TypeScript is compiled to `dist`. */
  readonly program: string;
  readonly needsPostgres?: boolean;
  /** What a model on the loopback interface answers, in this order. */
  readonly modelAnswers?: readonly ChatAnswer[];
  /** Default: it is started once. They follow one another in one folder. */
  readonly starts?: readonly Start[];
}

export const EXAMPLES: readonly Example[] = [
  {
    name: 'quick-start',
    program: 'quick-start.js',
    starts: [{ killAt: 'ship ...' }, { prints: ['ship ...', 'Charged and shipped.'] }],
  },
  { name: 'demo', program: 'demo/main.js' },
  { name: 'approval', program: 'dist/approval.js' },
  { name: 'approval-over-http', program: 'dist/approval-over-http/main.js' },
  { name: 'two-replicas', program: 'dist/two-replicas/main.js', needsPostgres: true },
  { name: 'webhook-once', program: 'dist/webhook-once/main.js' },
  { name: 'long-chat', program: 'dist/long-chat/main.js' },
  { name: 'worker', program: 'dist/worker/main.js' },
  {
    name: 'ai-sdk',
    program: 'dist/ai-sdk.js',
    modelAnswers: [
      { toolCalls: [{ id: 'call_1', name: 'forecast', args: { city: 'Lisbon' } }] },
      { status: 429, error: { message: 'slow down' } },
      { text: 'It is 21 degrees in Lisbon.' },
    ],
    // The model fails under the first process; the second one goes on without another look at the city.
    starts: [
      { exitCode: 1 },
      { prints: ['It is 21 degrees in Lisbon.', '2 model calls, 200 tokens in, 40 out'] },
    ],
  },
  {
    name: 'mcp-tools',
    program: 'dist/mcp-tools.js',
    modelAnswers: [
      { toolCalls: [{ id: 'call_1', name: 'read_ticket', args: { ticket: 7 } }] },
      { toolCalls: [{ id: 'call_2', name: 'close_ticket', args: { ticket: 7 } }] },
      { text: 'Ticket 7 is closed.' },
    ],
    starts: [{ prints: ['ticket 7 is closed', 'Ticket 7 is closed.'] }],
  },
];
