import { script } from './script.js';

/**
 * The index of one kind of records is in a slot of its own: `all` and `open`, sorted sets of ids, and `given`, a hash from the id to its
 * registration, which is this server's time in microseconds and never given twice.
 *
 * KEYS of the index. ARGV id, whether it is open. Returns the registration.
 */
export const REGISTER = script(
  'register',
  `
local registration = text(math.max((tonumber(redis.call('HGET', KEYS[3], '*')) or 0) + 1, nowUs()))
redis.call('HSET', KEYS[3], '*', registration, ARGV[1], registration)
redis.call('ZADD', KEYS[1], 0, ARGV[1])
if ARGV[2] == '1' then redis.call('ZADD', KEYS[2], 0, ARGV[1]) end
return registration
`,
);

/** KEYS of the index. ARGV id, registration, `close` or `drop`. Does nothing when the id was registered again since. */
export const UNREGISTER = script(
  'unregister',
  `
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
if ARGV[3] == 'drop' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[3], ARGV[1])
end
return 1
`,
);

/**
 * KEYS of the index. ARGV `close` or `drop`, ids whose record was just seen not to be there. What was registered in the last hour may
 * still be about to be written; a record takes no registration that is older than half of that.
 */
export const SWEEP = script(
  'sweep',
  `
local now, swept = nowUs(), 0
for at = 2, #ARGV do
  local id = ARGV[at]
  local registration = tonumber(redis.call('HGET', KEYS[3], id)) or 0
  if now - registration > 2 * REGISTRATION_US then
    redis.call('ZREM', KEYS[2], id)
    if ARGV[1] == 'drop' then
      redis.call('ZREM', KEYS[1], id)
      redis.call('HDEL', KEYS[3], id)
    end
    swept = swept + 1
  end
end
return swept
`,
);

/** KEYS one of `all` and `open`. ARGV from, to, limit, as ZRANGEBYLEX takes them. */
export const RANGE = script(
  'list',
  `
return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
`,
);

/** KEYS `all`. ARGV how many. Returns ids at random. */
export const SAMPLE = script(
  'sweep',
  `
return redis.call('ZRANDMEMBER', KEYS[1], ARGV[1])
`,
);
