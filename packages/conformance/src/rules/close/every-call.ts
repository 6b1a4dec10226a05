import { METHODS, type Method } from '../../model/needs.js';
import { approval, checkpoint, decision, ID, TTL } from '../../world/builders.js';
import { type Client, methodsOf } from '../../world/client.js';

/** A good call of every method that a client has, by its name. */
export function everyCall(client: Client): readonly [Method, () => Promise<unknown>][] {
  const { approvals, checkpoints, sessions } = client;
  const calls: Record<Method, () => Promise<unknown>> = {
    'checkpoints.save': () => checkpoints.save(ID, checkpoint()),
    'checkpoints.load': () => checkpoints.load(ID),
    'checkpoints.delete': () => checkpoints.delete(ID),
    'checkpoints.ids': () => checkpoints.ids(),
    'checkpoints.list': () => checkpoints.list(),
    'checkpoints.listPending': () => checkpoints.listPending(),
    'checkpoints.history': () => checkpoints.history(ID),
    'checkpoints.acquireLease': () => checkpoints.acquireLease(ID, 'worker-a', TTL),
    'checkpoints.renewLease': () => checkpoints.renewLease(ID, 'worker-a', TTL),
    'checkpoints.renewLeases': () => checkpoints.renewLeases([{ sessionId: ID, owner: 'worker-a' }], TTL),
    'checkpoints.releaseLease': () => checkpoints.releaseLease(ID, 'worker-a'),
    'checkpoints.readLease': () => checkpoints.readLease(ID),
    'checkpoints.saveIfLeased': () => checkpoints.saveIfLeased(ID, checkpoint(), 'worker-a'),
    'approvals.save': () => approvals.save(approval(), {}),
    'approvals.load': () => approvals.load('approval-1'),
    'approvals.ids': () => approvals.ids(),
    'approvals.list': () => approvals.list(),
    'approvals.decide': () => approvals.decide('approval-1', decision()),
    'approvals.delete': () => approvals.delete('approval-1'),
    'sessions.load': () => sessions.load(ID),
    'sessions.ids': () => sessions.ids(),
    'sessions.saveIf': () => sessions.saveIf(ID, 0, []),
    'sessions.delete': () => sessions.delete(ID),
    prune: () => client.prune({ olderThanMs: 0 }),
    close: () => client.close(),
  };
  const there = methodsOf(client);
  return METHODS.filter((method) => method !== 'close' && there.has(method)).map((method) => [
    method,
    calls[method],
  ]);
}
