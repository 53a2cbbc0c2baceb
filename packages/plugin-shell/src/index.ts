export { shell, shell as default } from './shell.ts';
export type { ShellOptions } from './options.ts';
