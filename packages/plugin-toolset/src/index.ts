export type { SearchOptions, ToolsetOptions } from './options.ts';
export { toolset, toolset as default } from './toolset.ts';
