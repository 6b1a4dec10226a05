export type { Agent, SendOptions } from './agent.js';
export type { CreateAgentOptions } from './agent-options.js';
export { createAgent } from './create-agent.js';
export type { RecoverOptions, Recovery } from './recover.js';
