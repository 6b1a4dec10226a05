export { aiSdk } from './ai-sdk.js';
export type { AiSdkModel } from './ai-sdk-model.js';
export type { AiSdkOptions, AiSdkProviderTool, AiSdkToolChoice } from './ai-sdk-options.js';
