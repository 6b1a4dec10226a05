import { script } from './script.js';

/**
 * A run is kept under five keys of one slot.
 *
 * `lease`: see lease-scripts. `head`, a hash: `seq` counts the saves stored under the id and only grows; `revision`, `status` (empty:
 * deleted, its history is kept), `count` of messages, `epoch` of the lease it was saved under (empty: none), `savedAt`; `given` is the
 * registration in the index of runs, `open` whether that lists it as unfinished, `ended` the last one that was closed; `expires` that
 * the keys vanish by themselves.
 * `kept`, a list: the latest heads, newest first, each `<seq> <count> <savedAt>\\n<text>`; the first one is the checkpoint itself.
 * `rows`, a hash: the message at each index, `<seq since which it is there> <text>`; written once, shared by all heads.
 * `old`, a sorted set: what was superseded, `<index> <since> <text>`, by the seq from which it is not seen any more.
 *
 * KEYS of the run. ARGV time, owner, nonce, revision, status, count, head, heads to keep, ttl, registration, first row, rows from there.
 * Returns `fenced`, `register` (the index comes first), `all-rows` (the vouched ones are not the stored ones), or `saved` and the
 * registration to close. Nothing is written before it is certain that everything is: the first write is one that a full server refuses.
 */
export const SAVE = script(
  'save',
  `
local owner, nonce, revision, status = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local count, keep, ttl, registration, from = tonumber(ARGV[6]), tonumber(ARGV[8]), ARGV[9], ARGV[10], tonumber(ARGV[11])
local lease = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'recent', 'ended')
if owner ~= '' and lease[1] ~= owner then return {'fenced'} end
local epoch = owner ~= '' and lease[2] or ''
local before = redis.call('HMGET', KEYS[2], 'seq', 'revision', 'status', 'count', 'epoch', 'given', 'open', 'expires', 'ended')
local isLive = before[3] and before[3] ~= ''
local revisionBefore = isLive and tonumber(before[2]) or nil

local isNumbered = epoch ~= '' and revision ~= ''
if isNumbered then
  if revisionBefore and before[5] == epoch and tonumber(revision) <= revisionBefore then return {'saved', ''} end
elseif seen(lease[3], nonce) then
  return {'saved', ''}
end

local isPending = status ~= 'finished'
local given, isOpen = before[6] or '', before[7] == '1'
if registration ~= '' then
  if not isUsable(registration, lease[4] or '0', before[9] or '0') then return {'register'} end
  if given == '' or tonumber(registration) > tonumber(given) then given = registration end
  isOpen = true
elseif given == '' or (isPending and not isOpen) then
  return {'register'}
end

local countBefore = tonumber(before[4]) or 0
if from > 0 then
  local continues = revisionBefore and revision ~= '' and tonumber(revision) == revisionBefore + 1
  if not continues or from > countBefore then return {'all-rows'} end
end

local seq = (tonumber(before[1]) or 0) + 1
local now = nowMs(ARGV[1])

local function supersede(at, stored)
  redis.call('ZADD', KEYS[5], seq, at .. ' ' .. stored)
end

local new = {}
local function writeRows()
  if #new > 0 then redis.call('HSET', KEYS[3], unpack(new)) end
  new = {}
end
for at = from, count - 1 do
  local row = ARGV[12 + at - from]
  local stored = at < countBefore and redis.call('HGET', KEYS[3], at)
  local isStored = stored and string.sub(stored, string.find(stored, ' ', 1, true) + 1) == row
  if not isStored then
    if stored then supersede(at, stored) end
    new[#new + 1] = at
    new[#new + 1] = seq .. ' ' .. row
    if #new >= 1000 then writeRows() end
  end
end
writeRows()

local fields = {'seq', seq, 'count', count, 'savedAt', text(now)}
local function set(name, value, old)
  if value ~= old then
    fields[#fields + 1] = name
    fields[#fields + 1] = value
  end
end
set('revision', revision, before[2])
set('status', status, before[3])
set('epoch', epoch, before[5])
set('given', given, before[6])
set('open', isPending and '1' or '0', before[7])
local closed = isOpen and not isPending and given or ''
if closed ~= '' then set('ended', closed, before[9]) end
redis.call('HSET', KEYS[2], unpack(fields))
local kept = redis.call('LPUSH', KEYS[4], seq .. ' ' .. count .. ' ' .. text(now) .. '\\n' .. ARGV[7])
if kept > keep then
  redis.call('LTRIM', KEYS[4], 0, keep - 1)
  kept = keep
end

for at = count, countBefore - 1 do
  local stored = redis.call('HGET', KEYS[3], at)
  if stored then
    supersede(at, stored)
    redis.call('HDEL', KEYS[3], at)
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', seq - kept + 1)

if ttl ~= '' and not isPending then
  local endsAt = math.floor(nowUs() / 1000) + tonumber(ttl)
  for key = 2, 5 do redis.call('PEXPIREAT', KEYS[key], text(endsAt)) end
  redis.call('PEXPIREAT', KEYS[1], text(endsAt + TOMBSTONE_MS))
  redis.call('HSET', KEYS[2], 'expires', '1')
elseif before[8] then
  for key = 2, 5 do redis.call('PERSIST', KEYS[key]) end
  redis.call('HDEL', KEYS[2], 'expires')
end
if not isNumbered then remember(KEYS[1], lease[3], nonce) end
return {'saved', closed}
`,
);

/** KEYS of the run. Returns the head and the rows, in order; nil when there is none. */
export const LOAD = script(
  'load',
  `
local head = redis.call('HMGET', KEYS[2], 'status', 'count')
if not head[1] or head[1] == '' then return false end
local reply = {redis.call('LINDEX', KEYS[4], 0)}
for at = 0, tonumber(head[2]) - 1 do reply[at + 2] = redis.call('HGET', KEYS[3], at) end
return reply
`,
);

/** KEYS of the run. Returns the status, empty for a deleted run with a history, and the head; nil when there is nothing. */
export const READ_HEAD = script(
  'list',
  `
local status = redis.call('HGET', KEYS[2], 'status')
if not status then return false end
return {status, redis.call('LINDEX', KEYS[4], 0)}
`,
);

/** KEYS of the run. ARGV limit. Returns the kept heads, newest first, the rows by index, and the superseded rows with their ends. */
export const HISTORY = script(
  'history',
  `
local rows = {}
local count = tonumber(redis.call('HGET', KEYS[2], 'count')) or 0
for at = 0, count - 1 do rows[at + 1] = redis.call('HGET', KEYS[3], at) end
return {
  redis.call('LRANGE', KEYS[4], 0, tonumber(ARGV[1]) - 1),
  rows,
  redis.call('ZRANGE', KEYS[5], 0, -1, 'WITHSCORES')
}
`,
);

/**
 * KEYS of the run. ARGV nonce, whether to keep the history. Ends the lease, so that a holder's next save is fenced. Returns what the
 * index has to do about which registration: `drop`, `close`, or nothing.
 */
export const DELETE = script(
  'delete',
  `
local recent = redis.call('HGET', KEYS[1], 'recent')
if seen(recent, ARGV[1]) then return {'', ''} end
redis.call('HDEL', KEYS[1], 'owner', 'expiresAt', 'since', 'holder')
expireUnheld(KEYS[1])
local given = redis.call('HGET', KEYS[2], 'given')
if not given then return {'', ''} end
local act = 'drop'
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[2], 'status', '', 'revision', '', 'epoch', '', 'open', '0', 'ended', given)
  act = 'close'
else
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
  redis.call('HSET', KEYS[1], 'ended', given)
end
remember(KEYS[1], recent, ARGV[1])
return {act, given}
`,
);

/**
 * KEYS of the run. ARGV time, age. Removes a finished run, or the history of a deleted one, that is older and not leased. Returns
 * `kept`, or `run` or `history` and the registration to drop, or `none` when there is nothing under the id.
 */
export const PRUNE_RUN = script(
  'prune',
  `
local now = nowMs(ARGV[1])
local head = redis.call('HMGET', KEYS[2], 'status', 'savedAt', 'given')
if not head[2] then return {'none'} end
if head[1] ~= 'finished' and head[1] ~= '' then return {'kept'} end
if tonumber(head[2]) >= now - tonumber(ARGV[2]) then return {'kept'} end
local lease = redis.call('HMGET', KEYS[1], 'owner', 'expiresAt')
if lease[1] and now < tonumber(lease[2]) then return {'kept'} end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
redis.call('HDEL', KEYS[1], 'owner', 'expiresAt', 'since', 'holder')
redis.call('HSET', KEYS[1], 'ended', head[3])
expireUnheld(KEYS[1])
return {head[1] == '' and 'history' or 'run', head[3]}
`,
);
