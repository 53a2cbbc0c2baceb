/** The six hooks, in the order of a run. */
export const hookNames = [
  'beforeAgent',
  'beforeModel',
  'wrapModelCall',
  'afterModel',
  'wrapToolCall',
  'afterAgent',
] as const;

export type HookName = (typeof hookNames)[number];
