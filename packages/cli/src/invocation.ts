import type { Screen } from './terminal/screen.ts';

/** A command as somebody called it. */
export interface Invocation {
  readonly name: string;
  /** Whether stdout is for programs. */
  readonly json: boolean;
  readonly debug: boolean;
  /** Loads what the command needs, and does what it says. Gives the exit status, if that is not 0; rejects with what it failed with. */
  readonly carryOut: (screen: Screen) => Promise<number | void>;
}
