export type { HookEvent } from './events.ts';
export type { OnFailure } from './hook.ts';
export { hooks, hooks as default } from './hooks.ts';
export type { HookOptions, HooksOptions } from './options.ts';
