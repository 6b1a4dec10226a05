import { createHash } from 'node:crypto';

/** A Lua script and the hash under which a server that has seen it knows it. */
export interface Script {
  /** Of the operation, for error texts. */
  readonly name: string;
  readonly source: string;
  readonly sha: string;
}

/** Payloads go through a script as bytes that it does not look into: Lua would change `[]` and big numbers. */
export function script(name: string, body: string): Script {
  const source = `${PRELUDE}\n${body.trim()}\n`;
  return { name, source, sha: createHash('sha1').update(source).digest('hex') };
}

/**
 * `text`: numbers above 10^14 would be written in exponents. `nowMs`: the caller's time in tests, else this server's.
 * `isUsable`: whether a registration in the index can still be taken; see `IdIndex`.
 * `seen`, `remember`: the last calls that cannot be told from their repetition by anything else.
 */
const PRELUDE = `
local TOMBSTONE_MS = 2592000000
local REGISTRATION_US = 1800000000

local function text(number) return string.format('%.0f', number) end

local function nowUs()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local function nowMs(given)
  if given ~= '' then return tonumber(given) end
  return math.floor(nowUs() / 1000)
end

local function isUsable(registration, ...)
  local number = tonumber(registration)
  if nowUs() - number >= REGISTRATION_US then return false end
  for _, ended in ipairs({...}) do
    if ended and number <= tonumber(ended) then return false end
  end
  return true
end

local function expireUnheld(lease)
  if redis.call('HEXISTS', lease, 'owner') == 0 and redis.call('PTTL', lease) == -1 then
    redis.call('PEXPIRE', lease, text(TOMBSTONE_MS))
  end
end

local function seen(recent, nonce)
  return recent and string.find(recent, ' ' .. nonce .. ' ', 1, true) ~= nil
end

local function remember(lease, recent, nonce)
  redis.call('HSET', lease, 'recent', string.sub(' ' .. nonce .. (recent or ' '), 1, 240))
  expireUnheld(lease)
end
`.trim();
