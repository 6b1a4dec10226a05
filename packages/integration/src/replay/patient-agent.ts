import type { Agent } from '@lousho/core';
import { untilFree } from '../stores/until-free.js';

/** The agent, called by somebody who waits and calls again while a session is busy. */
export function patientAgent(agent: Agent, wait: () => Promise<void>): Agent {
  const patiently = <T>(call: () => Promise<T>): Promise<T> => untilFree(call, wait);
  return {
    ...agent,
    send: (input, options) => patiently(() => agent.send(input, options)),
    resume: (sessionId, options) => patiently(() => agent.resume(sessionId, options)),
    session: (options) => {
      const session = agent.session(options);
      return {
        ...session,
        send: (input, sendOptions) => patiently(() => session.send(input, sendOptions)),
        resume: (resumeOptions) => patiently(() => session.resume(resumeOptions)),
      };
    },
  };
}
