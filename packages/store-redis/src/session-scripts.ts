import { script } from './script.js';

/**
 * A transcript is a hash: `messages`, `savedAt`, `given` (its registration in the index) and `by`, the nonce of the commit. `revision`
 * stays when the rest is removed, and so does `ended`, the last registration.
 *
 * KEYS session. ARGV time, expected revision, messages, nonce, registration. Returns `saved`, `conflict` or `register`.
 */
export const COMMIT = script(
  'sessions.saveIf',
  `
local session = redis.call('HMGET', KEYS[1], 'revision', 'by', 'given', 'ended')
local revision = tonumber(session[1]) or 0
if session[2] == ARGV[4] then return 'saved' end
if (session[3] and revision or 0) ~= tonumber(ARGV[2]) then return 'conflict' end
local given = session[3] or ARGV[5]
if given == '' or (not session[3] and not isUsable(given, session[4] or '0')) then return 'register' end
redis.call('HSET', KEYS[1], 'revision', text(revision + 1), 'messages', ARGV[3], 'savedAt', text(nowMs(ARGV[1])),
  'given', given, 'by', ARGV[4])
return 'saved'
`,
);

/** KEYS session. Returns the registration to drop, or nil. The revision stays, so that none is used twice. */
export const DELETE_SESSION = script(
  'sessions.delete',
  `
local given = redis.call('HGET', KEYS[1], 'given')
redis.call('HDEL', KEYS[1], 'messages', 'savedAt', 'given', 'by')
if given then redis.call('HSET', KEYS[1], 'ended', given) end
return given
`,
);

/**
 * KEYS session. ARGV time, age, the revision that it must have or an empty text to ask only. Returns `none`, `kept` or `old`, its
 * revision, and the registration to drop.
 */
export const PRUNE_SESSION = script(
  'prune',
  `
local session = redis.call('HMGET', KEYS[1], 'revision', 'savedAt', 'given')
if not session[2] then return {'none'} end
if tonumber(session[2]) >= nowMs(ARGV[1]) - tonumber(ARGV[2]) then return {'kept'} end
if ARGV[3] ~= '' then
  if ARGV[3] ~= session[1] then return {'kept'} end
  redis.call('HDEL', KEYS[1], 'messages', 'savedAt', 'given', 'by')
  redis.call('HSET', KEYS[1], 'ended', session[3])
end
return {'old', session[1], session[3]}
`,
);

/** KEYS session. Returns revision and messages, each nil when there is none. */
export const READ_SESSION = script(
  'sessions.load',
  `
return redis.call('HMGET', KEYS[1], 'revision', 'messages')
`,
);
