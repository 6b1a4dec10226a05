import type { ProviderMetadata } from './ai-sdk-model.js';

/** A part of a prompt's message, as its `type` has it. What it was signed with goes back as `providerOptions`. */
export interface PromptPart {
  readonly type: string;
  readonly providerOptions?: ProviderMetadata;
  readonly [field: string]: unknown;
}
