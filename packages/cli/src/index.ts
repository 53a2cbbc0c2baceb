export { shallot } from './command-line.ts';
export type { Io } from './io.ts';
