/**
 * One descent into an onion, and what it started further in. Closing a frame closes all below it: their signals are
 * aborted, what they wait for is rejected, what they emit is dropped. What has come to its end is left in peace. Signals
 * are made only for those who ask.
 */
export class Frame {
  #closed = false;
  #settled = false;
  #reason: unknown;
  #controller: AbortController | undefined;
  #inner: Frame | Set<Frame> | undefined;
  /** The frame whose end is this one's end too. */
  #through: Frame | undefined;
  #onClose: ((reason: unknown) => void) | undefined;

  get closed(): boolean {
    return this.#closed;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#closed) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Whether what this frame stands for has come to its end. */
  get settled(): boolean {
    return this.#settled || this.#through?.settled === true;
  }

  /** Whether it is closed, or has come to its end. */
  get over(): boolean {
    return this.#closed || this.#settled || this.#through?.settled === true;
  }

  settle(): void {
    this.#settled = true;
  }

  /** This frame will have come to its end when the one below it has. */
  settleWithInner(): void {
    if (this.#inner instanceof Frame) this.#through = this.#inner;
  }

  close(reason: unknown): void {
    if (this.#closed || this.settled) return;
    this.#closed = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.closeInner(reason);
    this.#onClose?.(reason);
  }

  /** Whether something below is still going on. */
  get isBusyInside(): boolean {
    const inner = this.#inner;
    if (inner === undefined) return false;
    return inner instanceof Set ? [...inner].some((frame) => !frame.settled) : !inner.settled;
  }

  /** Closes what is still going on below, and leaves this frame open. */
  closeInner(reason: unknown): void {
    const inner = this.#inner;
    this.#inner = undefined;
    if (inner instanceof Set) for (const frame of inner) frame.close(reason);
    else inner?.close(reason);
  }

  /** Puts a frame below this one: beside those that are there, or in their place. */
  adopt(frame: Frame, beside: boolean): void {
    if (this.#closed) frame.close(this.#reason);
    else if (!beside || this.#inner === undefined) this.#inner = frame;
    else if (this.#inner instanceof Set) this.#inner.add(frame);
    else this.#inner = new Set([this.#inner, frame]);
  }

  /** What a promise gives, or the reason of the frame's closing if that comes first. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) reject(this.#reason);
      const outer = this.#onClose;
      this.#onClose =
        outer === undefined
          ? reject
          : (reason) => {
              // Without layers the whole call and its core wait in one frame.
              reject(reason);
              outer(reason);
            };
      promise.then(resolve, reject);
    });
  }
}
