import type { CrashPoint } from '@lousho/core/testing';
import type { ChosenStorage } from '../stores/chosen-storage.js';
import type { Conversation } from './conversations.js';
import type { PlayMode } from './options.js';

/** What a child process is told, as its one argument. */
export interface KillOrder {
  readonly conversation: Conversation;
  readonly storage: ChosenStorage;
  readonly as: PlayMode;
  /** `null`: play to the end and print how many operations there were. */
  readonly point: CrashPoint | null;
}
