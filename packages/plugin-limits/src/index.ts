export { limits, limits as default } from './limits.ts';
export type { Limit, LimitsOptions, OnLimit, ToolLimit } from './options.ts';
