import { describeValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import { isPromise } from '../base/is-promise.ts';
import { asThrown } from '../base/thrown.ts';
import type { Wait } from '../base/wait.ts';
import type { Edit, NextOptions, Scope, TapObserver, WrapRun } from '../contract/hooks.ts';
import type { Emit } from '../contract/model.ts';
import { badResult } from './bad-result.ts';
import { Frame } from './frame.ts';
import { inHookTime } from './in-hook-time.ts';
import type { LiveTap } from './live-tap.ts';
import { checkNextOptions } from './next-options.ts';
import type { OnionCall } from './onion-call.ts';
import { sinkFor, type Sink } from './sink.ts';
import type { Stretch } from './waits.ts';
import type { Watcher } from './watcher.ts';

/** One passage through an onion. */
export class Passage<Request, Response, C> {
  readonly taps: readonly LiveTap[];
  readonly watcher: Watcher | undefined;
  readonly call: OnionCall<Request, Response, C>;
  /** How often each layer was entered. */
  readonly attempts: number[] = [];
  /** The response that was checked last: layers that pass it on need no check of their own. */
  checked: unknown;

  constructor(taps: readonly LiveTap[], watcher: Watcher | undefined, call: OnionCall<Request, Response, C>) {
    this.taps = taps;
    this.watcher = watcher;
    this.call = call;
  }
}

type WrapFn<Request, Response, C> = (
  request: Request,
  next: (request: Request, options?: NextOptions<C>) => Promise<Response>,
  scope: Scope<C>,
) => unknown;

/** Enters the layer at this index, or the core when there is none, in a frame of its own below `outer`. */
export function enterLayer<Request, Response, C>(
  passage: Passage<Request, Response, C>,
  index: number,
  request: Request,
  outer: Frame,
  beside: boolean,
  sink: Sink<C> | undefined,
): Promise<Response> {
  const tap = passage.taps[index];
  if (tap === undefined) {
    const frame = new Frame();
    outer.adopt(frame, beside);
    // A layer that does not wait for what it let through must not be able to leave a rejection behind.
    return handled(passage.call.core(request, frame, sink));
  }
  const layer = new Layer(passage, index, tap, request, sink);
  outer.adopt(layer, beside);
  let returned: unknown;
  try {
    returned = (tap.registration.fn as WrapFn<Request, Response, C>)(request, layer.next, layer);
  } catch (error) {
    return handled(Promise.reject(layer.failed(error)));
  }
  return layer.returned(returned);
}

/** One entry of one layer: what its tap sees as `scope`, and the frame of what it starts further in. */
class Layer<Request, Response, C> extends Frame implements Scope<C> {
  readonly attempt: number;
  readonly next: (request: Request, options?: NextOptions<C>) => Promise<Response>;
  readonly #passage: Passage<Request, Response, C>;
  readonly #index: number;
  readonly #tap: LiveTap;
  readonly #request: Request;
  readonly #sink: Sink<C> | undefined;
  readonly #observer: Required<TapObserver> | undefined;
  #emit: Emit<C> | undefined = undefined;
  /** What the latest call of `next` gave. */
  #latest: Promise<Response> | undefined = undefined;
  /** Where the layers inside send their chunks, when that is an `emit` of this layer's own. */
  #ownSink: Sink<C> | undefined = undefined;
  #isDone = false;

  constructor(
    passage: Passage<Request, Response, C>,
    index: number,
    tap: LiveTap,
    request: Request,
    sink: Sink<C> | undefined,
  ) {
    super();
    this.#passage = passage;
    this.#index = index;
    this.#tap = tap;
    this.#request = request;
    this.#sink = sink;
    this.attempt = passage.attempts[index] = (passage.attempts[index] ?? 0) + 1;
    this.next = (passed, options) => this.#next(passed, options);
    this.#observer = passage.watcher?.tap(tap, request, this.run, this);
  }

  get run(): WrapRun {
    return this.#passage.call.runFor(this.#tap);
  }

  get resumed(): boolean {
    return this.#passage.call.resumed;
  }

  get origin(): Scope['origin'] {
    return this.#passage.call.origin;
  }

  get edit(): Edit | undefined {
    return undefined;
  }

  get emit(): Emit<C> | undefined {
    const sink = this.#sink;
    if (sink === undefined) return undefined;
    this.#emit ??= (chunk) => (this.over ? undefined : sink.push(chunk));
    return this.#emit;
  }

  // What follows is often taken out of the object: each getter gives a function that needs no `this`.

  get interrupt(): Scope['interrupt'] {
    return (request) =>
      this.over
        ? handled(Promise.reject(this.#overReason()))
        : this.#passage.call.interrupt(this.#tap, request);
  }

  get once(): Scope['once'] {
    return (key, fn) =>
      this.over
        ? handled(Promise.reject(this.#overReason()))
        : this.#passage.call.once(this.#tap, this.attempt, key, () =>
            this.#passage.call.run.waits.around(this.#portion(`once("${key}")`), fn),
          );
  }

  get inTime(): Scope['inTime'] {
    return (what, fn) =>
      this.over
        ? handled(Promise.reject(this.#overReason()))
        : inHookTime(this.#passage.call.run, this.#tap, { what, scope: this }, fn);
  }

  get asking(): Scope['asking'] {
    return (fn) => handled(this.#passage.call.run.waits.during(this.#portion(), fn));
  }

  #portion(what?: string): Stretch {
    const { plugin } = this.#tap.info;
    return { plugin, scope: this, ...(what === undefined ? {} : { what }) };
  }

  // For whoever looks what is waited for.

  override get isAtWork(): boolean {
    return !this.#isDone && !this.settled;
  }

  override findWaits(found: (wait: Wait) => void): void {
    const own = this.#ownSink;
    if (own?.pressure.isOn === true && !this.#isHeldUp) {
      const { plugin, hook, name } = this.#tap.info;
      const what = `the emit that ${hook} "${name}" passes to next`;
      found({ by: own, plugin, what, since: own.pressure.taken });
    }
    super.findWaits(found);
  }

  protected override ownWait(): Wait | undefined {
    if (this.#isHeldUp) return undefined;
    const { plugin, hook, name } = this.#tap.info;
    return { by: this, plugin, what: `${hook} "${name}"`, since: this.#latest };
  }

  /** Whether its chunks wait for a layer further out, or for the consumer. */
  get #isHeldUp(): boolean {
    return this.#sink?.pressure.isOn === true;
  }

  get replaceMessages(): Scope['replaceMessages'] {
    return (messages) => this.#passage.call.replaceMessages(this.#tap, messages);
  }

  /** Settles with what the tap's function gave back; a promise that `next` gave is passed on as it is. */
  returned(value: unknown): Promise<Response> {
    if (
      value !== undefined &&
      value === this.#latest &&
      this.#observer === undefined &&
      this.settleWithInner()
    ) {
      return this.#latest;
    }
    try {
      // A thenable that is not a promise may call back at once, or return nothing: it is made one.
      if (isPromise(value)) return this.#settled(Promise.resolve(value));
      if (this.#tap.registration.wantsPromise) {
        throw badResult(this.#tap, describeValue(value), 'a promise, as it was registered with tapPromise');
      }
      return Promise.resolve(this.#finish(value));
    } catch (error) {
      return handled(Promise.reject(this.failed(error)));
    }
  }

  #settled(value: Promise<unknown>): Promise<Response> {
    const settled: Promise<Response> = value.then(
      (response) => {
        try {
          return this.#finish(response);
        } catch (error) {
          void handled(settled);
          throw this.failed(error);
        }
      },
      (error: unknown) => {
        // Marked as handled only now that it is about to reject: most never do.
        void handled(settled);
        throw this.failed(error);
      },
    );
    return settled;
  }

  #finish(value: unknown): Response {
    this.#close();
    const { checked, call } = this.#passage;
    // What was checked further in was found to be a response.
    const response =
      value !== undefined && value === checked ? (value as Response) : call.acceptResponse(this.#tap, value);
    this.#passage.checked = response;
    this.#observer?.done(response);
    return response;
  }

  /** Settles with an error, which is passed on as it is. */
  failed(thrown: unknown): unknown {
    const error = asThrown(thrown);
    this.#close();
    this.#passage.call.blame(this.#tap, error);
    this.#observer?.done(undefined, error);
    return error;
  }

  #close(): void {
    this.#isDone = true;
    this.settle();
    if (this.isBusyInside) this.closeInner(abandoned(this.#tap));
  }

  #next(passed: Request, options: NextOptions<C> | undefined): Promise<Response> {
    if (this.over) return handled(Promise.reject(this.#refusal()));
    let request = passed;
    try {
      if (options !== undefined) checkNextOptions(this.#tap, options);
      if (passed !== this.#request)
        request = this.#passage.call.acceptRequest(this.#tap, passed, this.#request);
    } catch (error) {
      return handled(Promise.reject(error));
    }
    const beside = options?.parallel === true;
    if (this.#latest !== undefined && !beside) this.#startOver();
    const sink = beside ? undefined : this.#sinkFor(options?.emit);
    this.#observer?.next(request);
    this.#latest =
      options?.signal === undefined && this.#observer === undefined
        ? enterLayer(this.#passage, this.#index + 1, request, this, beside, sink)
        : handled(this.#watch(request, beside, sink, options?.signal));
    return this.#latest;
  }

  /** What is still running below is given up, and whoever listens is told to forget it. */
  #startOver(): void {
    if (this.isBusyInside) this.closeInner(abandoned(this.#tap));
    this.#passage.call.startedOver(this.#tap);
    const { restart } = this.#passage.call;
    if (restart !== undefined && this.#sink?.dirty === true) {
      void this.#sink.push(restart);
    }
  }

  #sinkFor(emit: Emit<C> | undefined): Sink<C> | undefined {
    if (emit === undefined || emit === this.#emit) return this.#sink;
    this.#ownSink = sinkFor(emit, (thrown) => {
      const error = asThrown(thrown);
      this.#passage.call.blame(this.#tap, error);
      this.closeInner(error);
    });
    return this.#ownSink;
  }

  /** Enters the layers inside, under a signal of the layer's own, and tells whoever watches what came back. */
  async #watch(
    request: Request,
    beside: boolean,
    sink: Sink<C> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const frame = new Frame();
    this.adopt(frame, beside);
    const close = (): void => frame.close(signal?.reason);
    if (signal?.aborted === true) close();
    signal?.addEventListener('abort', close, { once: true });
    try {
      const response = await enterLayer(this.#passage, this.#index + 1, request, frame, false, sink);
      this.#observer?.back(response);
      return response;
    } catch (error) {
      this.#observer?.back(undefined, error);
      throw error;
    } finally {
      frame.settle();
      signal?.removeEventListener('abort', close);
    }
  }

  #overReason(): unknown {
    return this.closed ? this.reason : abandoned(this.#tap);
  }

  #refusal(): unknown {
    if (!this.settled) return this.reason;
    const { plugin, hook } = this.#tap.info;
    const error = new ShallotError('NEXT_LATE', {
      message: `${plugin} called next of ${hook} after its layer had settled. Await next, or return what it gives.`,
      plugin,
      hook,
    });
    this.#passage.call.report(error);
    return error;
  }
}

function abandoned(tap: LiveTap): ShallotError {
  const { plugin, hook } = tap.info;
  return new ShallotError('LAYER_CLOSED', {
    message: `${plugin} has settled its layer of ${hook}, or called next again, while this was still running.`,
    plugin,
    hook,
  });
}
