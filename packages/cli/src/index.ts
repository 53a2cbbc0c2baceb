export { shallot } from './shallot.ts';
export type { Io } from './terminal/io.ts';
