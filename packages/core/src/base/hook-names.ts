/** The six hooks, in the order of a run. */
export const hookNames = [
  'beforeAgent',
  'beforeModel',
  'wrapModelCall',
  'afterModel',
  'wrapToolCall',
  'afterAgent',
] as const;

/** The name of one of the six hooks. */
export type HookName = (typeof hookNames)[number];
