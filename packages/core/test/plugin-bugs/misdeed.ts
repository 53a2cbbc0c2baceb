/** The arguments of a plugin's function that bugs use. */
export interface Call {
  /** The hook's first argument. */
  readonly value: unknown;
  /** Calls the layers inside; undefined outside of wraps. */
  readonly next: ((...args: unknown[]) => Promise<unknown>) | undefined;
  /** The run, as the plugin sees it. */
  readonly run: Readonly<Record<string, (...args: unknown[]) => unknown>>;
}

/** Code that misuses the plugin API. */
export interface Misdeed {
  commit(call: Call): unknown;
}
