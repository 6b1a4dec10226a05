import { type Message, SDKError } from '../../contract/index.js';
import { type TrajectoryCall, trajectory } from '../../run/trajectory.js';

/** One model call of a conversation and what its calls came to. */
export interface SessionStep {
  /** 1-based within the session. */
  readonly step: number;
  /** 0-based number of the user message that it answers. */
  readonly turn: number;
  /** Where the assistant message stands in the transcript. */
  readonly messageIndex: number;
  readonly text: string;
  readonly toolCalls: readonly TrajectoryCall[];
}

/** The steps of a transcript. */
export function sessionSteps(messages: readonly Message[]): readonly SessionStep[] {
  const steps = trajectory(messages);
  let turn = -1;
  const found: SessionStep[] = [];
  messages.forEach((message, messageIndex) => {
    if (message.role === 'user' && messages[messageIndex - 1]?.role !== 'user') turn += 1;
    const step = steps[found.length];
    if (message.role !== 'assistant' || !step) return;
    found.push({
      step: found.length + 1,
      turn: Math.max(turn, 0),
      messageIndex,
      text: step.text,
      toolCalls: step.tools,
    });
  });
  return found;
}

/** The transcript up to and with a step's results; step 0 is its beginning. Rejects with `LOUSHO_SESSION_STEP_NOT_FOUND`. */
export function transcriptAt(messages: readonly Message[], fromStep: number): readonly Message[] {
  if (fromStep === 0) return [];
  const steps = sessionSteps(messages);
  const step = steps[fromStep - 1];
  if (!Number.isSafeInteger(fromStep) || !step) {
    throw new SDKError(
      'LOUSHO_SESSION_STEP_NOT_FOUND',
      `Expected a step from 0 to ${steps.length}, got ${fromStep}`,
    );
  }
  const end = messages.findIndex((message, index) => index > step.messageIndex && message.role !== 'tool');
  return messages.slice(0, end === -1 ? undefined : end);
}
