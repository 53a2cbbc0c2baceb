export type { MadeEdit } from './edit-memory-file.ts';
export { memory, memory as default } from './memory.ts';
export type { MemoryOptions } from './options.ts';
export type { CutFile } from './spend-budget.ts';
