export { filesystem, filesystem as default } from './filesystem.ts';
export type { FilesystemOptions, FileToolName, PathSpelling } from './options.ts';
