import type { ChildMessage } from './child-message.js';
import { Inbox } from './inbox.js';

/** A child's line to the process that started it. */
export interface ChildIo {
  /** What startChild() was given. */
  settings<T>(): T;
  tell(kind: string, data?: Readonly<Record<string, unknown>>): void;
  /** The next message of one of these kinds. */
  told(...kinds: readonly string[]): Promise<ChildMessage>;
}

/** The line of this process. It ends when the parent goes, so that no child is left behind. */
export function childIo(settings: unknown): ChildIo {
  const inbox = new Inbox();
  process.on('message', (message) => inbox.put(message as ChildMessage));
  process.on('disconnect', () => process.exit(1));
  return {
    settings: <T>() => settings as T,
    tell: (kind, data) => process.send?.({ ...data, kind }),
    told: (...kinds) => inbox.take(kinds),
  };
}
