/** Captured here, because fake timers of a test could leave a timer that never fires. */
const startTimer = setImmediate;

/**
 * The sessions whose inbox was empty at a commit in this turn of the event loop. Within the turn, nobody in this
 * process can know of a later message, so a run that reads its inbox right after its commit need not ask the
 * database.
 */
export class EmptyInboxes {
  readonly #sessionIds = new Set<string>();

  note(sessionId: string): void {
    if (this.#sessionIds.size === 0) startTimer(() => this.#sessionIds.clear());
    this.#sessionIds.add(sessionId);
  }

  /** Forgets a session to which this process has sent something. */
  forget(sessionId: string): void {
    this.#sessionIds.delete(sessionId);
  }

  has(sessionId: string): boolean {
    return this.#sessionIds.has(sessionId);
  }
}
