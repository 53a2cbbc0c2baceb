import { handled } from '../base/handled.ts';
import type { Wait } from '../base/wait.ts';

/** What only few frames have: most are never closed, waited in, or asked for a signal. */
interface Rare {
  reason: unknown;
  controller: AbortController | undefined;
  onClose: ((reason: unknown) => void) | undefined;
}

const open = 0;
const settled = 1;
const closed = 2;

/**
 * One descent into an onion, and what it started further in. Closing a frame closes all below it: their signals are
 * aborted, what they wait for is rejected, what they emit is dropped. What has come to its end is left in peace. Signals
 * are made only for those who ask.
 */
export class Frame {
  #state = open;
  #inner: Frame | Set<Frame> | undefined = undefined;
  /** The frame whose end is this one's end too. */
  #through: Frame | undefined = undefined;
  #rare: Rare | undefined = undefined;

  get closed(): boolean {
    return this.#state === closed;
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

  /** Whether what this frame stands for has come to its end. */
  get settled(): boolean {
    return this.#state === settled || this.#through?.settled === true;
  }

  /** Whether it is closed, or has come to its end. */
  get over(): boolean {
    return this.#state !== open || this.#through?.settled === true;
  }

  settle(): void {
    if (this.#state === open) this.#state = settled;
  }

  /** This frame will have come to its end when the one below it has. False when there is not just one. */
  settleWithInner(): boolean {
    if (!(this.#inner instanceof Frame)) return false;
    this.#through = this.#inner;
    return true;
  }

  close(reason: unknown): void {
    if (this.over) return;
    this.#state = closed;
    const rare = this.#extend();
    rare.reason = reason;
    rare.controller?.abort(reason);
    this.closeInner(reason);
    rare.onClose?.(reason);
  }

  /** Whether something below is still going on. */
  get isBusyInside(): boolean {
    const inner = this.#inner;
    if (inner === undefined) return false;
    return inner instanceof Frame ? !inner.settled : [...inner].some((frame) => !frame.settled);
  }

  /** Finds whose code is waited for: that of frames below which nothing is going on. */
  findWaits(found: (wait: Wait) => void): void {
    const inner = this.#inner instanceof Frame ? [this.#inner] : [...(this.#inner ?? [])];
    const busy = inner.filter((frame) => frame.isAtWork);
    for (const frame of busy) frame.findWaits(found);
    const own = busy.length === 0 ? this.ownWait() : undefined;
    if (own !== undefined) found(own);
  }

  /** Whether what called this frame still waits for it. */
  get isAtWork(): boolean {
    return !this.over;
  }

  /** What is waited for when nothing is going on below; undefined for models and tools, whose time is their own. */
  protected ownWait(): Wait | undefined {
    return undefined;
  }

  /** Closes what is still going on below, and leaves this frame open. */
  closeInner(reason: unknown): void {
    const inner = this.#inner;
    this.#inner = undefined;
    if (inner instanceof Frame) inner.close(reason);
    else if (inner !== undefined) for (const frame of inner) frame.close(reason);
  }

  /** Puts a frame below this one: beside those that are there, or in their place. */
  adopt(frame: Frame, beside: boolean): void {
    if (this.closed) frame.close(this.reason);
    else if (!beside || this.#inner === undefined) this.#inner = frame;
    else if (this.#inner instanceof Frame) this.#inner = new Set([this.#inner, frame]);
    else this.#inner.add(frame);
  }

  /** Takes a frame out again that was put below this one. */
  release(frame: Frame): void {
    if (this.#inner === frame) this.#inner = undefined;
    else if (this.#inner instanceof Set) this.#inner.delete(frame);
  }

  /** Acts when the frame is closed; at once if it is already. */
  onClose(act: (reason: unknown) => void): void {
    const rare = this.#extend();
    if (this.closed) act(rare.reason);
    const outer = rare.onClose;
    rare.onClose =
      outer === undefined
        ? act
        : (reason) => {
            // Without layers the whole call and its core wait in one frame.
            act(reason);
            outer(reason);
          };
  }

  /** What a promise gives, or the reason of the frame's closing if that comes first. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.onClose(reject);
      promise.then(resolve, reject);
    });
  }

  /** The same for what this frame stands for: with it, the frame has come to its end. Nobody has to wait for it. */
  waitToEnd<T>(promise: Promise<T>): Promise<T> {
    const ended = Promise.withResolvers<T>();
    const fail = (error: unknown): void => {
      this.settle();
      ended.reject(error);
      // Marked as handled only now that it is rejected: most never are.
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
