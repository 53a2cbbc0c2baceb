export { subagents, subagents as default } from './subagents.ts';
export type { SubagentOptions, SubagentsOptions } from './options.ts';
