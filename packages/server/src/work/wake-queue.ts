import type { Queue } from '@shallot/core/store';

/** A queue within this process. It wakes the local worker immediately when something was submitted or answered here. */
export class WakeQueue implements Queue {
  readonly #handlers = new Set<Parameters<Queue['listen']>[0]>();
  readonly #timers = new Set<NodeJS.Timeout>();

  async wake(sessionId: string, { at = 0 }: { readonly at?: number } = {}): Promise<void> {
    const pauseMs = at - Date.now();
    if (pauseMs <= 0) return this.#passAll(sessionId);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#passAll(sessionId);
    }, pauseMs);
    this.#timers.add(timer.unref());
  }

  #passAll(sessionId: string): void {
    for (const handler of this.#handlers) void this.#pass(sessionId, handler);
  }

  async listen(handler: Parameters<Queue['listen']>[0]): Promise<() => Promise<void>> {
    this.#handlers.add(handler);
    return async () => {
      this.#handlers.delete(handler);
      if (this.#handlers.size > 0) return;
      for (const timer of this.#timers) clearTimeout(timer);
      this.#timers.clear();
    };
  }

  async #pass(sessionId: string, handler: Parameters<Queue['listen']>[0]): Promise<void> {
    // The worker finds a session that it cannot take now when it next searches the store.
    const at = await handler(sessionId).catch(() => undefined);
    // Without a delay, a full worker would be woken all the time.
    if (at !== undefined) await this.wake(sessionId, { at: Math.max(at, Date.now() + 50) });
  }
}
