export type { AiSdkLanguageModel } from './sdk/ai-sdk-language-model.ts';
export { aiSdkModel, type AiSdkModelOptions } from './ai-sdk-model.ts';
export { boundedFetch } from './http/bounded-fetch.ts';
export { resolveModel, type ResolveModelOptions } from './resolve-model.ts';
