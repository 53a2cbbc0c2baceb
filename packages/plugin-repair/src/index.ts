export type { RepairOptions } from './options.ts';
export { repair, repair as default } from './repair.ts';
