import { script } from './script.js';

/**
 * A lease is a hash: `owner`, `expiresAt`, `since`, `holder` while somebody holds it, `epoch` also afterwards. It does not vanish at
 * its expiry, so a holder that nobody replaced can still renew and save. Without an owner it expires after 30 days; the next epoch is
 * still greater then, because no epoch is below the server's time in microseconds.
 *
 * KEYS lease. ARGV time, owner, ttl, holder. Returns the epoch, or nil when another owner's lease is live.
 */
export const ACQUIRE = script(
  'acquireLease',
  `
local now = nowMs(ARGV[1])
local lease = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'expiresAt')
local expiresAt = text(now + tonumber(ARGV[3]))
if lease[1] == ARGV[2] then
  redis.call('HSET', KEYS[1], 'expiresAt', expiresAt, 'holder', ARGV[4])
  redis.call('PERSIST', KEYS[1])
  return lease[2]
end
if lease[1] and now < tonumber(lease[3]) then return false end
local floor = ARGV[1] ~= '' and now * 1000 or nowUs()
local epoch = text(math.max((tonumber(lease[2]) or 0) + 1, floor))
redis.call('HSET', KEYS[1], 'owner', ARGV[2], 'epoch', epoch, 'expiresAt', expiresAt,
  'since', text(now), 'holder', ARGV[4])
redis.call('PERSIST', KEYS[1])
return epoch
`,
);

/** KEYS leases. ARGV time, ttl, the owner of each. Returns 1 or 0 for each. */
export const RENEW = script(
  'renewLeases',
  `
local expiresAt = text(nowMs(ARGV[1]) + tonumber(ARGV[2]))
local answers = {}
for at, lease in ipairs(KEYS) do
  answers[at] = 0
  if redis.call('HGET', lease, 'owner') == ARGV[2 + at] then
    redis.call('HSET', lease, 'expiresAt', expiresAt)
    redis.call('PERSIST', lease)
    answers[at] = 1
  end
end
return answers
`,
);

/** KEYS lease, head. ARGV owner. A run that the server forgets after a while takes its lease with it. */
export const RELEASE = script(
  'releaseLease',
  `
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'owner', 'expiresAt', 'since', 'holder')
local left = redis.call('PTTL', KEYS[2])
redis.call('PEXPIRE', KEYS[1], left > 0 and left or text(TOMBSTONE_MS))
return 1
`,
);

/** KEYS lease. ARGV time. Returns owner, epoch, expiry, since and holder of a live lease, else nil. */
export const READ_LEASE = script(
  'readLease',
  `
local lease = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'expiresAt', 'since', 'holder')
if not lease[1] or nowMs(ARGV[1]) >= tonumber(lease[3]) then return false end
return lease
`,
);
