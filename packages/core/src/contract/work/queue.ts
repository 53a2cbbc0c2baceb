/**
 * Makes workers prompt: it says which sessions have work, and may lose or repeat that. The claim on the session decides
 * who does the work, and a worker also looks at the store at intervals.
 */
export interface Queue {
  /** Says that a session has work, now or at a time in milliseconds since 1970. */
  wake(sessionId: string, options?: { readonly at?: number }): Promise<void>;
  /**
   * Passes each session that has work to the handler, which resolves to a time in milliseconds since 1970 if the session
   * should come again then. Resolves, once it listens, to the function that ends it.
   */
  listen(handler: (sessionId: string) => Promise<number | undefined>): Promise<() => Promise<void>>;
  close?(): Promise<void>;
}
