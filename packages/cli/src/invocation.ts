import type { Screen } from './terminal/screen.ts';

/** A called command. */
export interface Invocation {
  /** True if stdout is JSON for programs. */
  readonly json: boolean;
  readonly debug: boolean;
  /** Loads and executes the command. Resolves to the exit status, if it is not 0; rejects with its error. */
  readonly carryOut: (screen: Screen) => Promise<number | void>;
}
