export type { ChatAnswer, ChatError, ChatReply } from './chat-answer.js';
export { refusalOf } from './chat-refusals.js';
export { answersIn, type ChatMessage, type ChatRequest, type ChatToolCall } from './chat-request.js';
export { type ChatServer, type ChatServerOptions, startChatServer } from './chat-server.js';
export { DYNAMO_CLIENT, type DynamoServer, startDynamo } from './dynamo.js';
export { type DynamoRefusal, type RefusingDynamo, startRefusingDynamo } from './dynamo-refusals.js';
export { freePort } from './free-port.js';
export { type KvServer, startKv } from './kv.js';
export {
  connectKv,
  type KvListOptions,
  type KvListResult,
  type KvNamespace,
  type KvPutOptions,
} from './kv-namespace.js';
export { type Pgbouncer, type PgbouncerOptions, startPgbouncer } from './pgbouncer.js';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres.js';
export { type RedisOptions, type RedisServer, startRedis } from './redis.js';
export { type RedisSentinel, type SentinelOptions, startSentinel } from './redis-sentinel.js';
export type { Server } from './server.js';
export { type SharedServer, sharedDynamo, sharedKv, sharedPostgres, sharedRedis } from './shared.js';
export { type Chunk, type Target, type TcpProxy, tcpProxy, type Verdict } from './tcp-proxy.js';
