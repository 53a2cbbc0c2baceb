/**
 * Notifies workers of sessions with work. Notifications may be lost or repeated: the claim on a session decides which
 * worker resumes it, and workers also poll the store.
 */
export interface Queue {
  /** Reports that a session has work, now or at a time in milliseconds since 1970, to the workers of an agent or to all. */
  wake(sessionId: string, options?: { readonly at?: number; readonly agent?: string }): Promise<void>;
  /**
   * Passes each session with work to the handler, which resolves to a time in milliseconds since 1970 if the session
   * should be passed again then. Resolves, once it is listening, to a function that stops it. A queue may leave out runs
   * of other agents than `agent`.
   */
  listen(
    handler: (sessionId: string) => Promise<number | undefined>,
    options?: { readonly agent?: string },
  ): Promise<() => Promise<void>>;
  close?(): Promise<void>;
}
