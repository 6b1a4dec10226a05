import type { PatchedControl, PatchedMutant } from './patched-mutant.js';

const TOOL_BATCH = 'core/dist/executor/tool-batch.js';
const RECORDER = 'core/dist/executor/recorder.js';
const FORK_RUN = 'core/dist/executor/fork-run.js';
const APPLY = 'core/dist/run/apply.js';

/** Executors that are broken in one place each. */
export const EXECUTOR_MUTANTS: readonly PatchedMutant[] = (
  [
    {
      name: 'results-with-the-batch',
      says: 'The results of a turn are saved when the last of them is there.',
      killedBy: ['RUN-02'],
      patches: [
        {
          file: TOOL_BATCH,
          find: "await context.recorder.record({ kind: 'call-settled', result, ...(task && { task }) });",
          replace: '(this.late ??= []).push(result);',
        },
        {
          file: TOOL_BATCH,
          find: 'await Promise.all(this.#running);',
          replace:
            "await Promise.all(this.#running);\nfor (const result of this.late ?? []) await this.context.recorder.record({ kind: 'call-settled', result });",
        },
      ],
    },
    {
      name: 'results-as-they-come',
      says: 'Results stand in the order in which the calls settled.',
      killedBy: ['RUN-03'],
      patches: [
        {
          file: APPLY,
          find: 'return withResults(state, (entry, at) => (at === index ? result : entry.result));',
          replace: 'return { ...state, messages: [...state.messages, result] };',
        },
      ],
    },
    {
      name: 'results-by-id',
      says: 'A call has the result of the call that had its id in an earlier turn.',
      killedBy: ['RUN-04'],
      patches: [
        {
          file: 'core/dist/run/transcript.js',
          find: "const results = [...behind.filter((message) => message.role === 'tool'), ...settledResults];",
          replace:
            "const results = [...messages.filter((message) => message.role === 'tool'), ...settledResults];",
        },
      ],
    },
    {
      name: 'start-mark-late',
      says: 'The start of a call that runs at most once is saved when the call has ended.',
      killedBy: ['RUN-05'],
      patches: [
        {
          file: TOOL_BATCH,
          find: "await context.recorder.record({ kind: 'call-started', toolCallId: call.id });",
          replace: ';',
        },
        {
          file: TOOL_BATCH,
          find: 'this.#track(runCall(context, call, ready));',
          replace: `this.#track(runCall(context, call, ready).then(async (settled) => {
            if (ready.isOnce) await context.recorder.record({ kind: 'call-started', toolCallId: call.id });
            return settled;
          }));`,
        },
      ],
    },
    {
      name: 'turn-saved-with-its-results',
      says: "The model's turn is saved with the first result of its calls.",
      killedBy: ['RUN-01'],
      patches: [
        {
          file: RECORDER,
          find: 'if (!isFinalReply)',
          replace: "if (!isFinalReply && fact.kind !== 'model-answered')",
        },
      ],
    },
    {
      name: 'lost-lease-ignored',
      says: 'A save that was fenced is not noticed, and the run goes on.',
      killedBy: ['RUN-06'],
      patches: [
        {
          file: 'core/dist/executor/held-lease.js',
          find: 'if (!(await this.#write(checkpoint, options)))',
          replace: 'if (void (await this.#write(checkpoint, options)))',
        },
      ],
    },
    {
      name: 'heartbeat-goes-on',
      says: 'The timer that renews leases goes on when there is none.',
      killedBy: ['RUN-07'],
      patches: [
        {
          file: 'core/dist/executor/lease-keeper.js',
          find: 'this.#held.get(lease)?.stop();\n        this.#held.delete(lease);',
          replace: '',
        },
      ],
    },
    {
      name: 'released-before-the-last-save',
      says: 'The lease is released, and then the finished run is saved.',
      killedBy: ['RUN-08'],
      patches: [
        {
          file: RECORDER,
          find: 'await this.#enqueue({ status: endStatus(this.#state.sessionId), finishReason });',
          replace: `const { target } = this;
        if (target) target.lease.save = (checkpoint) => target.store.save(checkpoint.sessionId, checkpoint);
        await target?.lease.release();
        await this.#enqueue({ status: endStatus(this.#state.sessionId), finishReason });`,
        },
      ],
    },
    {
      name: 'decision-before-the-lease',
      says: 'A decision is taken before the lease, and gone when the lease is refused.',
      killedBy: ['RUN-09'],
      patches: [
        {
          file: 'core/dist/executor/decide-stored-run.js',
          find: 'const startedAt = timers.monotonic();',
          replace: `const startedAt = timers.monotonic();
    await takeDecision(approvals, await undecidedRecord(approvals, decision.id), decision, { clock: timers });`,
        },
      ],
    },
    {
      name: 'abort-leaves-calls-open',
      says: 'An abort ends the run, and its open calls stay without results.',
      killedBy: ['RUN-10'],
      patches: [
        {
          file: APPLY,
          find: 'return cancelOpenCalls({ ...progressed(state), queuedInputs: [] }, fact.mayHaveStarted === true);',
          replace: 'return progressed(state);',
        },
      ],
    },
    {
      name: 'resumes-what-was-listed',
      says: 'A resume goes on from what it saw before it had the lease.',
      killedBy: ['RUN-11'],
      patches: [
        {
          file: 'core/dist/executor/execute-plan.js',
          find: 'leased(reporting, { onlyUnfinished: true })',
          replace: 'leased(reporting, { onlyUnfinished: true, listed: stored })',
        },
        {
          file: 'core/dist/executor/execute-plan.js',
          find: 'const loaded = await store.load(sessionId);',
          replace: 'const loaded = options.listed ?? (await store.load(sessionId));',
        },
      ],
    },
    {
      name: 'resume-asks-again',
      says: 'A run that is resumed forgets its last turn, and asks the model for it again.',
      killedBy: ['RUN-12'],
      patches: [
        {
          file: 'core/dist/run/begin-run.js',
          find: 'const messages = repairEarlierTurns(stored.messages);',
          replace: `const whole = repairEarlierTurns(stored.messages);
    const messages = stored.status === 'finished' ? whole : whole.slice(0, whole.findLastIndex((message) => message.role === 'user') + 1);`,
        },
      ],
    },
    {
      name: 'fork-of-the-latest',
      says: 'A fork begins as the latest save, whatever step it names.',
      killedBy: ['FORK-01'],
      patches: [{ file: FORK_RUN, find: '({ step }) => step === fromStep', replace: '() => true' }],
    },
    {
      name: 'fork-marks-its-source',
      says: 'A fork saves its source again, to note that it was forked.',
      killedBy: ['FORK-02'],
      patches: [
        {
          file: FORK_RUN,
          find: 'const patch = options.patch ?? {};',
          replace: `const patch = options.patch ?? {};
    await store.save(options.sessionId, { ...await store.load(options.sessionId), metadata: { forked: true } });`,
        },
      ],
    },
    {
      name: 'fork-without-its-result',
      says: 'A fork keeps the result that its patch replaces.',
      killedBy: ['FORK-03'],
      patches: [{ file: 'core/dist/run/fork.js', find: 'if (!patched)', replace: 'if (patched)' }],
    },
    {
      name: 'fork-over-a-fork',
      says: 'The id of a fork is not looked at again under its lease.',
      killedBy: ['FORK-04'],
      patches: [
        {
          file: FORK_RUN,
          find: `try {
        if ((await store.load(target.sessionId)) !== null)
            return undefined;`,
          replace: 'try {',
        },
      ],
    },
    {
      name: 'fork-shares-approval',
      says: 'A fork of a run that waits has the approval of its source.',
      killedBy: ['FORK-05'],
      patches: [{ file: 'core/dist/run/fork.js', find: 'pausedCalls: _paused, ', replace: '' }],
    },
  ] satisfies readonly Omit<PatchedMutant, 'store'>[]
).map((mutant) => ({ ...mutant, store: 'reference' }));

export const EXECUTOR_CONTROLS: readonly PatchedControl[] = [
  {
    name: 'executor-loads-twice',
    says: 'What is stored is loaded once more under the lease, and not used.',
    store: 'reference',
    passes: ['RUN'],
    patches: [
      {
        file: 'core/dist/executor/execute-plan.js',
        find: 'const loaded = await store.load(sessionId);',
        replace: 'await store.load(sessionId);\n        const loaded = await store.load(sessionId);',
      },
    ],
  },
];
