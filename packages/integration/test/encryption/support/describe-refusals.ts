import { approval, type ConformanceHarness, checkpoint, user } from '@lousho/conformance';
import {
  type ApprovalStore,
  type BundledStore,
  type Checkpoint,
  createAgent,
  encrypted,
  type Message,
  type SessionStore,
} from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { flipped, HARMS } from './harms.js';
import { keys, OTHER_K1 } from './keys.js';
import { type OpenStore, storageOf } from './storage-of.js';

const ID = 'refund-42';
const SILENT = { warn: () => undefined };

/** Every harm to every kind of record is refused with its code, and changes nothing. */
export function describeRefusals(
  harness: ConformanceHarness,
  { hasAllParts = true }: { readonly hasAllParts?: boolean } = {},
): void {
  describe(`encrypted ${harness.name}`, () => {
    it.each(HARMS.map((each) => [each.what, each] as const))('refuses %s', async (_, { code, harm }) => {
      const { plain, sealed } = await open(harness);
      await sealed.checkpoints.save(ID, run(ID));
      await sealed.checkpoints.save('other', run('other'));
      const [own, other] = [await plain.checkpoints.load(ID), await plain.checkpoints.load('other')];
      await plain.checkpoints.save(ID, harm(own as never, other as never) as Checkpoint);
      await expectRefused(plain, sealed, code);
    });

    it.each([
      ['a key that is not here', keys('k2')],
      ['another key under its id', OTHER_K1],
    ])('refuses a record sealed with %s', async (_, otherKeys) => {
      const { plain, sealed } = await open(harness);
      await sealed.checkpoints.save(ID, run(ID));
      await expectRefused(plain, encrypted(plain, otherKeys) as OpenStore, 'LOUSHO_RECORD_KEY_UNKNOWN');
    });

    if (!hasAllParts) return;

    it('refuses a transcript for the same reasons', async () => {
      const { plain, sealed } = await open(harness);
      const sessions = plain.sessions as SessionStore;
      const messages = [user('pay 42 to Ada')];
      await sealed.sessions?.saveIf(ID, 0, messages);
      await sealed.sessions?.saveIf('other', 0, messages);
      const row = await rowOf(sessions, ID);
      const foreign = await rowOf(sessions, 'other');
      const harmed = [
        [messages, 'NOT_ENCRYPTED'],
        [[], 'NOT_ENCRYPTED'],
        [[{ sealed: row.sealed.slice(0, -2) }], 'TRUNCATED'],
        [[{ sealed: flipped(row.sealed) }], 'TAMPERED'],
        [[row, row], 'TAMPERED'],
        [[foreign], 'TAMPERED'],
        [[{ sealed: row.sealed.replace('.k1.', '.k9.') }], 'KEY_UNKNOWN'],
      ] as const;
      for (const [index, [stored, code]] of harmed.entries()) {
        expect(await sessions.saveIf(ID, index + 1, stored as unknown as Message[])).toBe(true);
        await expect(sealed.sessions?.load(ID)).rejects.toMatchObject({ code: `LOUSHO_RECORD_${code}` });
      }
    });

    it('refuses an approval for the same reasons', async () => {
      const { plain, sealed } = await open(harness);
      const approvals = plain.approvals as ApprovalStore;
      const asked = approval({ id: 'approval-1', sessionId: ID, args: { pay: 42 } });
      await sealed.approvals?.save(asked, { sessionId: ID });
      await sealed.approvals?.save({ ...asked, id: 'approval-2' }, { sessionId: ID });
      const own = (await approvals.load('approval-1')) as never as Kept;
      const other = (await approvals.load('approval-2')) as never as Kept;
      const withSealed = (text: string) => ({ ...own, approval: { ...own.approval, sealed: text } });
      const harmed = [
        [{ approval: asked, snapshot: {} }, 'NOT_ENCRYPTED'],
        [withSealed(own.approval.sealed.slice(0, -2)), 'TRUNCATED'],
        [withSealed(flipped(own.approval.sealed)), 'TAMPERED'],
        [withSealed(other.approval.sealed), 'TAMPERED'],
        [{ ...own, approval: { ...own.approval, sessionId: 'refund-43' } }, 'TAMPERED'],
        [{ ...own, snapshot: other.snapshot }, 'TAMPERED'],
        [{ ...own, snapshot: {} }, 'NOT_ENCRYPTED'],
        [withSealed(own.approval.sealed.replace('.k1.', '.k9.')), 'KEY_UNKNOWN'],
      ] as const;
      for (const [stored, code] of harmed) {
        await approvals.save(stored.approval as never, stored.snapshot as never);
        await expect(sealed.approvals?.load('approval-1')).rejects.toMatchObject({
          code: `LOUSHO_RECORD_${code}`,
        });
      }
    });

    it('refuses a decision that was not given', async () => {
      const { plain, sealed } = await open(harness);
      await sealed.approvals?.save(approval({ id: 'approval-1' }), {});
      await plain.approvals?.decide('approval-1', { id: 'approval-1', approved: true });
      await expect(sealed.approvals?.load('approval-1')).rejects.toMatchObject({
        code: 'LOUSHO_RECORD_NOT_ENCRYPTED',
      });
    });
  });
}

interface Kept {
  readonly approval: { readonly sealed: string };
  readonly snapshot: unknown;
}

/** The one thing that a stored transcript is made of. */
async function rowOf(sessions: SessionStore, id: string): Promise<{ readonly sealed: string }> {
  const [row] = (await sessions.load(id))?.messages ?? [];
  return row as unknown as { readonly sealed: string };
}

async function open(harness: ConformanceHarness): Promise<{ plain: OpenStore; sealed: OpenStore }> {
  const openStore = await storageOf(harness);
  const plain = await openStore();
  return { plain, sealed: encrypted(plain as BundledStore, keys('k1')) as OpenStore };
}

function run(sessionId: string): Checkpoint {
  return checkpoint({
    sessionId,
    revision: 1,
    status: 'in-progress',
    approvalId: 'approval-1',
    messages: [user('refund order 42'), user('to Ada'), user('today')],
  });
}

async function expectRefused(plain: OpenStore, sealed: OpenStore, code: string): Promise<void> {
  const before = await plain.checkpoints.load(ID);
  const { checkpoints } = sealed;
  await expect(checkpoints.load(ID)).rejects.toMatchObject({ code });
  const listed = (await checkpoints.list?.())?.find(({ sessionId }) => sessionId === ID);
  expect(listed?.checkpoint).toMatchObject({
    status: 'in-progress',
    messages: [],
    lastError: { code, retryable: false },
  });
  if (checkpoints.history)
    await expect(checkpoints.history(ID, { limit: 1 })).rejects.toMatchObject({ code });

  // An agent that meets it asks no model and stores nothing.
  const provider = mockModel(['Done.']);
  const agent = createAgent({ provider, store: sealed, ports: { logger: SILENT } });
  await expect(agent.send('go on', { sessionId: ID })).rejects.toMatchObject({ code });
  expect(provider.calls).toEqual([]);
  expect(await plain.checkpoints.load(ID)).toEqual(before);
}
