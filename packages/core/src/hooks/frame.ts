import { handled } from '../base/handled.ts';
import type { Wait } from '../base/wait.ts';

/** Members that most frames never need: few are closed, awaited or asked for a signal. */
interface Rare {
  reason: unknown;
  controller: AbortController | undefined;
  onClose: ((reason: unknown) => void) | undefined;
}

/**
 * One call into an onion, and the frames that it started further inside. Closing a frame closes all frames inside it:
 * it aborts their signals, rejects what they wait for, and drops what they emit. Settled frames are not affected.
 * Signals are created on first access.
 */
export class Frame {
  #state: 'open' | 'settled' | 'closed' = 'open';
  #inner: Frame | Set<Frame> | undefined = undefined;
  /** The frame inside with which this one settles; see `settleWithInner`. */
  #through: Frame | undefined = undefined;
  #rare: Rare | undefined = undefined;

  get closed(): boolean {
    return this.#state === 'closed';
  }

  get reason(): unknown {
    return this.#rare?.reason;
  }

  get signal(): AbortSignal {
    const rare = this.#extend();
    if (rare.controller === undefined) {
      rare.controller = new AbortController();
      if (this.closed) rare.controller.abort(rare.reason);
    }
    return rare.controller.signal;
  }

  /** True once the work of this frame has finished. */
  get settled(): boolean {
    return this.#state === 'settled' || this.#through?.settled === true;
  }

  /** True once the frame is closed or settled. */
  get over(): boolean {
    return this.#state !== 'open' || this.#through?.settled === true;
  }

  settle(): void {
    if (this.#state !== 'open') return;
    this.#state = 'settled';
    // A settled frame is never closed, so the listener is no longer needed. If it were kept, each minor garbage collection
    // would copy everything that the listener refers to.
    if (this.#rare !== undefined) this.#rare.onClose = undefined;
  }

  /** Makes this frame settle together with the one inside it. Returns false unless there is exactly one. */
  settleWithInner(): boolean {
    if (!(this.#inner instanceof Frame)) return false;
    // Refers to the innermost frame directly, because for each chunk every layer around it checks if that frame is
    // over.
    this.#through = this.#inner.#through ?? this.#inner;
    return true;
  }

  close(reason: unknown): void {
    if (this.over) return;
    this.#state = 'closed';
    const rare = this.#extend();
    rare.reason = reason;
    rare.controller?.abort(reason);
    this.closeInner(reason);
    rare.onClose?.(reason);
  }

  /** True while a frame inside is not settled. */
  get isBusyInside(): boolean {
    const inner = this.#inner;
    if (inner === undefined) return false;
    return inner instanceof Frame ? !inner.settled : [...inner].some((frame) => !frame.settled);
  }

  /** Reports the innermost frames that are still working, because the run waits for these. */
  findWaits(found: (wait: Wait) => void): void {
    const inner = this.#inner instanceof Frame ? [this.#inner] : [...(this.#inner ?? [])];
    const busy = inner.filter((frame) => frame.isAtWork);
    for (const frame of busy) frame.findWaits(found);
    const own = busy.length === 0 ? this.ownWait() : undefined;
    if (own !== undefined) found(own);
  }

  /** True while the caller of this frame waits for it. */
  get isAtWork(): boolean {
    return !this.over;
  }

  /**
   * Returns the wait to report if no frame inside is working; undefined for models and tools, which have time limits of
   * their own.
   */
  protected ownWait(): Wait | undefined {
    return undefined;
  }

  /** Closes the frames inside, but not this one. */
  closeInner(reason: unknown): void {
    const inner = this.#inner;
    this.#inner = undefined;
    if (inner instanceof Frame) inner.close(reason);
    else if (inner !== undefined) for (const frame of inner) frame.close(reason);
  }

  /**
   * Adds a frame inside this one, or replaces those inside unless `beside`. If this one is closed, closes the frame
   * instead.
   */
  adopt(frame: Frame, beside: boolean): void {
    if (this.closed) frame.close(this.reason);
    else if (!beside || this.#inner === undefined) this.#inner = frame;
    else if (this.#inner instanceof Frame) this.#inner = new Set([this.#inner, frame]);
    else this.#inner.add(frame);
  }

  /** Removes a frame that `adopt` added. */
  release(frame: Frame): void {
    if (this.#inner === frame) this.#inner = undefined;
    else if (this.#inner instanceof Set) this.#inner.delete(frame);
  }

  /** Calls `act` when the frame is closed; at once if it already is. */
  onClose(act: (reason: unknown) => void): void {
    const rare = this.#extend();
    if (this.closed) act(rare.reason);
    const outer = rare.onClose;
    rare.onClose =
      outer === undefined
        ? act
        : (reason) => {
            // Two listeners are possible: without layers, the whole call and its core share one frame.
            act(reason);
            outer(reason);
          };
  }

  /** Returns the promise's result; rejects when the frame is closed. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.onClose(reject);
      promise.then(resolve, reject);
    });
  }

  /**
   * Returns the promise's result, and settles the frame with it; rejects when the frame is closed. A rejection that
   * nothing awaits is not reported.
   */
  waitToEnd<T>(promise: Promise<T>): Promise<T> {
    const ended = Promise.withResolvers<T>();
    const fail = (error: unknown): void => {
      this.settle();
      ended.reject(error);
      // Marked as handled only on rejection, because most calls succeed.
      void handled(ended.promise);
    };
    this.onClose(fail);
    promise.then((value) => {
      this.settle();
      ended.resolve(value);
    }, fail);
    return ended.promise;
  }

  #extend(): Rare {
    this.#rare ??= { reason: undefined, controller: undefined, onClose: undefined };
    return this.#rare;
  }
}
