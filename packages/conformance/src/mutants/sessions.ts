import { compareIds } from '@lousho/core/contract';
import { ReferenceSessions } from '../reference/reference-sessions.js';
import type { Mutant } from './mutant.js';

/** Which commits of a transcript are accepted. */
export const sessions: readonly Mutant[] = [
  {
    name: 'commit-read-then-write',
    says: 'The revision is compared in one step and the transcript written in the next.',
    killedBy: ['SESSION-05'],
    classes: {
      sessions: class extends ReferenceSessions {
        override async putIf(id: string, expected: number, messages: string): Promise<boolean> {
          const stored = this.parts.storage.transcripts.get(id);
          await this.parts.point('between');
          const current = stored && stored.messages !== null ? stored.revision : 0;
          if (current !== expected) return false;
          const revision = (stored?.revision ?? 0) + 1;
          this.parts.storage.transcripts.set(id, { revision, messages, savedAt: this.parts.clock.now() });
          return true;
        }
      },
    },
  },
  {
    name: 'commit-ignores-revision',
    says: 'A commit on a revision that is no longer the stored one is accepted.',
    killedBy: ['SESSION-03'],
    classes: {
      sessions: class extends ReferenceSessions {
        override putIfNow(id: string, _expected: number, messages: string): boolean {
          const stored = this.parts.storage.transcripts.get(id);
          const current = stored && stored.messages !== null ? stored.revision : 0;
          return super.putIfNow(id, current, messages);
        }
      },
    },
  },
  {
    name: 'commit-reuses-revision',
    says: 'After a delete the revisions begin anew.',
    killedBy: ['SESSION-07'],
    classes: {
      sessions: class extends ReferenceSessions {
        override deleteNow(id: string): void {
          this.parts.storage.transcripts.delete(id);
        }
      },
    },
  },
  {
    name: 'ids-of-deleted',
    says: 'A deleted transcript is among the ids.',
    killedBy: ['SESSION-12'],
    classes: {
      sessions: class extends ReferenceSessions {
        override idsNow(): readonly string[] {
          return [...this.parts.storage.transcripts.keys()].sort(compareIds);
        }
      },
    },
  },
];
