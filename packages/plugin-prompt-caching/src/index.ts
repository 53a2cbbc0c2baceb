export type { PromptCachingOptions } from './options.ts';
export { promptCaching, promptCaching as default } from './prompt-caching.ts';
