export { hitl, hitl as default } from './hitl.ts';
export type { Ask, HitlOptions, ToolPolicy } from './options.ts';
