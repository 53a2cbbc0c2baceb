export { shallot } from './command-line.ts';
export type { Io } from './terminal/io.ts';
