import type { StoreName } from '../stores/store-names.js';
import { type Conversation, readConversations } from './conversations.js';
import type { ReplayOptions } from './options.js';
import { playInProcess } from './play-every.js';
import { playKilled } from './play-kill.js';
import type { Played } from './played.js';
import { ProgressBar } from './progress-bar.js';

export interface ReplaySummary {
  readonly conversations: number;
  readonly crashPoints: number;
  readonly differences: readonly string[];
  readonly repeatedModelCalls: number;
  readonly repeatedTools: number;
}

/** In this process each conversation has a storage and time of its own. Children renew short leases in real time: one after another. */
const PLAYED_AT_ONCE: Readonly<Record<ReplayOptions['crash'], number>> = { none: 4, every: 4, kill: 1 };

/** Plays the conversations of a file on each store that was asked for, some at a time. */
export async function replay(options: ReplayOptions): Promise<ReplaySummary> {
  const conversations = readConversations(options.file).slice(0, options.limit);
  const bar = new ProgressBar();
  const jobs = options.stores.flatMap((store) =>
    conversations.map((conversation) => ({ store, conversation })),
  );
  const played: Played[] = [];
  const shares = jobs.map(() => 0);
  const queue = jobs.entries();
  const work = async () => {
    for (const [index, { store, conversation }] of queue) {
      const label = `${conversation.id} on ${store}`;
      const show = (share: number) => {
        shares[index] = share;
        bar.show(shares.reduce((sum, one) => sum + one, 0) / jobs.length, label);
      };
      show(0);
      const one = await play(conversation, store, options, (done, total) => show(done / total));
      show(1);
      played[index] = { ...one, differences: one.differences.map((text) => `${label}: ${text}`) };
    }
  };
  await Promise.all(Array.from({ length: PLAYED_AT_ONCE[options.crash] }, work));
  bar.clear();
  return summarise(conversations.length, played);
}

/** The command's last line, and whether everything was as promised. */
export function verdict(summary: ReplaySummary): { readonly line: string; readonly isClean: boolean } {
  const { conversations, crashPoints, differences, repeatedModelCalls, repeatedTools } = summary;
  return {
    line:
      `${conversations} conversations, ${crashPoints} crash points, ${differences.length} differences, ` +
      `${repeatedModelCalls} repeated model calls, ${repeatedTools} repeated recorded tools`,
    isClean: differences.length === 0 && repeatedModelCalls === 0 && repeatedTools === 0,
  };
}

function play(
  conversation: Conversation,
  store: StoreName,
  options: ReplayOptions,
  onPoint: (done: number, total: number) => void,
): Promise<Played> {
  switch (options.crash) {
    case 'none':
      return playInProcess(conversation, store, { as: options.as, withCrashes: false });
    case 'every':
      return playInProcess(conversation, store, { as: options.as, withCrashes: true, onPoint });
    case 'kill':
      return playKilled(conversation, store, { as: options.as, points: options.points, onPoint });
    default:
      return options.crash satisfies never;
  }
}

function summarise(conversations: number, played: readonly Played[]): ReplaySummary {
  const sum = (value: (one: Played) => number) => played.reduce((total, one) => total + value(one), 0);
  return {
    conversations,
    crashPoints: sum((one) => one.crashPoints),
    differences: played.flatMap((one) => one.differences),
    repeatedModelCalls: sum((one) => one.repeatedModelCalls),
    repeatedTools: sum((one) => one.repeatedTools),
  };
}
