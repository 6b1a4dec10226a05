import { script } from './script.js';

/**
 * An approval is a hash: `createdAt`, `body`, `given` (its registration in the index), and once it is decided `decision`, `decidedAt`
 * and `by`, the nonce of the call that decided it. `ended` is the last registration that was closed; a
 * removed approval leaves it for as long as an older one can come.
 *
 * KEYS approval. ARGV createdAt, body, registration. Returns `saved`, `decided` (it stays) or `register`.
 */
export const PUT_APPROVAL = script(
  'approvals.save',
  `
local approval = redis.call('HMGET', KEYS[1], 'decision', 'ended')
local ended = approval[2] or '0'
if approval[1] then
  if tonumber(ARGV[3]) > tonumber(ended) then redis.call('HSET', KEYS[1], 'ended', ARGV[3]) end
  return 'decided'
end
if not isUsable(ARGV[3], ended) then return 'register' end
redis.call('HSET', KEYS[1], 'createdAt', ARGV[1], 'body', ARGV[2], 'given', ARGV[3])
redis.call('PERSIST', KEYS[1])
return 'saved'
`,
);

/** KEYS approval. ARGV time, decision, nonce. A repetition of the call that decided is answered as that one was. */
export const DECIDE = script(
  'approvals.decide',
  `
local approval = redis.call('HMGET', KEYS[1], 'given', 'decision', 'by')
if not approval[1] then return {'not-found', ''} end
if approval[2] then return {approval[3] == ARGV[3] and 'decided' or 'already-decided', ''} end
redis.call('HSET', KEYS[1], 'decision', ARGV[2], 'decidedAt', text(nowMs(ARGV[1])), 'by', ARGV[3])
return {'decided', approval[1]}
`,
);

const REMOVE = `
local function removeApproval(approval, given)
  local ended = tonumber(redis.call('HGET', approval, 'ended') or '0')
  redis.call('DEL', approval)
  redis.call('HSET', approval, 'ended', text(math.max(ended, tonumber(given))))
  redis.call('PEXPIRE', approval, text(2 * REGISTRATION_US / 1000))
end
`.trim();

/** KEYS approval. Returns the registration to drop, or nil. */
export const DELETE_APPROVAL = script(
  'approvals.delete',
  `
${REMOVE}
local given = redis.call('HGET', KEYS[1], 'given')
if given then removeApproval(KEYS[1], given) end
return given
`,
);

/** KEYS approval. ARGV time, age. Returns `none`, `kept`, or `old` and the body of one that was decided before that. */
export const OLD_APPROVAL = script(
  'prune',
  `
local approval = redis.call('HMGET', KEYS[1], 'given', 'decidedAt', 'body')
if not approval[1] then return {'none'} end
if not approval[2] or tonumber(approval[2]) >= nowMs(ARGV[1]) - tonumber(ARGV[2]) then return {'kept'} end
return {'old', approval[3], approval[1]}
`,
);

/** KEYS approval. ARGV registration: removes it only as it was seen. Returns 1 or 0. */
export const PRUNE_APPROVAL = script(
  'prune',
  `
${REMOVE}
if redis.call('HGET', KEYS[1], 'given') ~= ARGV[1] then return 0 end
if redis.call('HEXISTS', KEYS[1], 'decision') == 0 then return 0 end
removeApproval(KEYS[1], ARGV[1])
return 1
`,
);

/** KEYS approval. Returns createdAt, body and decision, each nil when there is none. */
export const READ_APPROVAL = script(
  'approvals.load',
  `
return redis.call('HMGET', KEYS[1], 'createdAt', 'body', 'decision')
`,
);
