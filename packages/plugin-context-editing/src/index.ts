export { contextEditing, contextEditing as default } from './context-editing.ts';
export type { ClearToolResultsOptions, ContextEditingOptions } from './options.ts';
