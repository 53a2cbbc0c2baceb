/** What a function of a plugin is called with, as far as the bugs use it. */
export interface Call {
  /** What the hook passes first. */
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
