/** The arguments of a plugin's function, as far as the bugs use them. */
export interface Call {
  /** The hook's first argument. */
  readonly value: unknown;
  /** Goes on to what is further in; undefined where nothing is. */
  readonly next: ((...args: unknown[]) => Promise<unknown>) | undefined;
  /** The run, as the plugin sees it. */
  readonly run: Readonly<Record<string, (...args: unknown[]) => unknown>>;
}

/** The code of something that a plugin does wrong. */
export interface Misdeed {
  commit(call: Call): unknown;
}
