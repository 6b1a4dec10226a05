import * as checks from '../../contract/checks.js';
import { assertSnapshotFormat } from '../../contract/format.js';
import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalStore,
  assertApprovalId,
  decode,
  type ExecutionSnapshot,
  encode,
  expected,
  isStoreKey,
  type PendingApproval,
} from '../../contract/index.js';
import { CallOrder } from './call-order.js';
import { tampered } from './envelope.js';
import type { Sealer } from './sealer.js';

/** What the inner store orders and prunes by stays readable: id, instant and session of an approval; that and when it was decided. */
export class EncryptedApprovals implements ApprovalStore {
  declare readonly ids?: NonNullable<ApprovalStore['ids']>;
  readonly #order = new CallOrder();

  constructor(
    readonly inner: ApprovalStore,
    readonly sealer: Sealer,
  ) {
    if (inner.ids) this.ids = inner.ids.bind(inner);
  }

  async save(approval: PendingApproval, snapshot: ExecutionSnapshot): Promise<void> {
    checks.record('approval', approval);
    checks.record('snapshot', snapshot);
    assertApprovalId(approval.id);
    if (Number.isNaN(Date.parse(approval.createdAt))) {
      throw expected('approval.createdAt', 'an ISO instant', approval.createdAt);
    }
    const { id } = approval;
    const sealed = this.#seal(id, encode(approval, 'record.approval'), encode(snapshot, 'record.snapshot'));
    await this.#order.run(id, sealed, (ready) => this.inner.save(ready.approval, ready.snapshot));
  }

  async load(id: string): Promise<ApprovalRecord | null> {
    const loaded = await this.inner.load(id);
    if (!loaded) return null;
    const [approval, snapshot, decision] = await Promise.all([
      this.#openApproval(id, loaded.approval),
      this.#openSnapshot(id, loaded),
      loaded.decision && this.#openDecision(id, loaded.decision),
    ]);
    return { approval, snapshot, ...(decision && { decision }) };
  }

  async list(): Promise<readonly PendingApproval[]> {
    const listed = await this.inner.list();
    return Promise.all(listed.map((approval) => this.#openApproval(approval.id, approval)));
  }

  async decide(id: string, decision: ApprovalDecision): Promise<'decided' | 'already-decided' | 'not-found'> {
    checks.record('decision', decision);
    if (typeof decision.approved !== 'boolean') {
      throw expected('decision.approved', 'a boolean', decision.approved);
    }
    if (!isStoreKey(id)) return this.inner.decide(id, decision);
    const text = encode(decision, 'decision');
    const clear = clearDecision(decode(text) as ApprovalDecision);
    const sealed = this.sealer.seal({ kind: 'decision', id }, text);
    return this.#order.run(id, sealed, (envelope) => this.inner.decide(id, withSealed(clear, envelope)));
  }

  delete(id: string): Promise<void> {
    return this.#order.run(id, undefined, () => this.inner.delete(id));
  }

  async #seal(
    id: string,
    approval: string,
    snapshot: string,
  ): Promise<{ approval: PendingApproval; snapshot: ExecutionSnapshot }> {
    const sealed = await this.sealer.seal({ kind: 'approval', id }, approval);
    const clear = clearApproval(decode(approval) as PendingApproval);
    // The two are one record: neither opens beside another one's half.
    const frozen = await this.sealer.seal({ kind: 'snapshot', id, boundTo: sealed }, snapshot);
    return { approval: withSealed(clear, sealed), snapshot: { sealed: frozen } };
  }

  async #openApproval(id: string, shown: PendingApproval): Promise<PendingApproval> {
    const text = await this.sealer.open({ kind: 'approval', id }, sealedOf(shown));
    const approval = decode(text) as PendingApproval;
    if (encode(clearApproval(approval)) !== encode(clearApproval(shown))) throw tampered(`approval ${id}`);
    return approval;
  }

  async #openSnapshot(id: string, { approval, snapshot }: ApprovalRecord): Promise<ExecutionSnapshot> {
    const boundTo = sealedOf(approval);
    const part = { kind: 'snapshot', id, ...(typeof boundTo === 'string' && { boundTo }) } as const;
    const frozen = decode(await this.sealer.open(part, sealedOf(snapshot))) as ExecutionSnapshot;
    assertSnapshotFormat(id, frozen);
    return frozen;
  }

  async #openDecision(id: string, shown: ApprovalDecision): Promise<ApprovalDecision> {
    const decision = decode(
      await this.sealer.open({ kind: 'decision', id }, sealedOf(shown)),
    ) as ApprovalDecision;
    if (encode(clearDecision(decision)) !== encode(clearDecision(shown))) throw tampered(`approval ${id}`);
    return decision;
  }
}

function clearApproval({ id, createdAt, sessionId }: PendingApproval): PendingApproval {
  return {
    id,
    createdAt,
    ...(sessionId !== undefined && { sessionId }),
    toolCallId: '',
    toolName: '',
    args: null,
  };
}

function clearDecision({ id, approved, decidedAt }: ApprovalDecision): ApprovalDecision {
  return { id, approved, ...(decidedAt !== undefined && { decidedAt }) };
}

function withSealed<T extends object>(clear: T, sealed: string): T {
  return { ...clear, sealed };
}

function sealedOf(shown: object): unknown {
  return (shown as { readonly sealed?: unknown }).sealed;
}
