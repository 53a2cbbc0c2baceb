import { attempted } from '../base/attempt.ts';
import { describeValue } from '../base/describe-value.ts';
import { handled } from '../base/handled.ts';
import { isPromise } from '../base/is-promise.ts';
import { asThrown } from '../base/thrown.ts';
import type { Wait } from '../base/wait.ts';
import type { NextOptions, Scope, TapObserver } from '../contract/hooks.ts';
import type { Emit } from '../contract/model.ts';
import { badResult } from './bad-result.ts';
import { Frame } from './frame.ts';
import { abandoned, late, LayerScope } from './layer-scope.ts';
import type { LiveTap } from './live-tap.ts';
import { checkNextOptions } from './next-options.ts';
import type { OnionCall } from './onion-call.ts';
import { sinkFor, type Sink } from './sink.ts';
import type { Watcher } from './watcher.ts';

/** One passage through an onion, of layers or of gates. */
export class Passage<Request, Response, C> {
  readonly taps: readonly LiveTap[];
  readonly watcher: Watcher | undefined;
  readonly call: OnionCall<Request, Response, C>;
  #checked: unknown;
  /** How often each layer was entered. */
  readonly #attempts: number[] = [];

  constructor(taps: readonly LiveTap[], watcher: Watcher | undefined, call: OnionCall<Request, Response, C>) {
    this.taps = taps;
    this.watcher = watcher;
    this.call = call;
  }

  /** Counts an entry of a layer. */
  enter(index: number): number {
    return (this.#attempts[index] = (this.#attempts[index] ?? 0) + 1);
  }

  /** What a layer returned, as a response: one that was checked further in needs no other check. */
  accept(tap: LiveTap, returned: unknown): Response {
    if (returned !== undefined && returned === this.#checked) return returned as Response;
    const response = this.call.acceptResponse(tap, returned);
    this.#checked = response;
    return response;
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
  parallel: boolean,
  sink: Sink<C> | undefined,
): Promise<Response> {
  const tap = passage.taps[index];
  if (tap === undefined) {
    const frame = new Frame();
    outer.adopt(frame, parallel);
    return passage.call.core(request, frame, sink);
  }
  const layer = new Layer(passage, index, tap, request, sink);
  outer.adopt(layer, parallel);
  return layer.call();
}

/** One entry of one layer. */
class Layer<Request, Response, C> extends LayerScope<C> {
  readonly next: (request: Request, options?: NextOptions<C>) => Promise<Response>;
  readonly #passage: Passage<Request, Response, C>;
  readonly #index: number;
  readonly #tap: LiveTap;
  readonly #request: Request;
  readonly #sink: Sink<C> | undefined;
  readonly #observer: Required<TapObserver> | undefined;
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
    super(passage.call, tap, passage.call.gates?.attempt ?? passage.enter(index), sink);
    this.#passage = passage;
    this.#index = index;
    this.#tap = tap;
    this.#request = request;
    this.#sink = sink;
    this.next = (passed, options) => this.#next(passed, options);
    this.#observer = passage.watcher?.tap(tap, request, this.run, this);
  }

  /** Calls the tap, and settles with what it gives. */
  call(): Promise<Response> {
    try {
      const fn = this.#tap.registration.fn as WrapFn<Request, Response, C>;
      const returned = fn(this.#request, this.next, this);
      // What `next` gave is passed on as it is.
      if (returned !== undefined && returned === this.#latest && this.#isThrough()) return this.#latest;
      // A thenable that is not a promise may call back at once, or return nothing: it is made one.
      if (isPromise(returned)) return this.#settle(Promise.resolve(returned));
      if (this.#tap.registration.wantsPromise) {
        const wanted = 'a promise, because it was registered with tapPromise';
        throw badResult(this.#tap, describeValue(returned), wanted);
      }
      return Promise.resolve(this.#finish(returned));
    } catch (error) {
      return handled(attempted(() => this.#fail(error)));
    }
  }

  #isThrough(): boolean {
    return this.#observer === undefined && this.settleWithInner();
  }

  #settle(value: Promise<unknown>): Promise<Response> {
    const settled: Promise<Response> = value.then(
      (response) => {
        try {
          return this.#finish(response);
        } catch (error) {
          void handled(settled);
          return this.#fail(error);
        }
      },
      (error: unknown) => {
        // Marked as handled only now that it may reject: most never do.
        void handled(settled);
        return this.#fail(error);
      },
    );
    return settled;
  }

  #finish(value: unknown): Response {
    this.#close();
    const response = this.#passage.accept(this.#tap, value);
    this.#observer?.done(response);
    return response;
  }

  /** Settles with an error, which is passed on as it is, unless there is a rule for it. */
  #fail(thrown: unknown): Response {
    const error = asThrown(thrown);
    this.#close();
    const { call } = this.#passage;
    call.blame(this.#tap, error);
    this.#observer?.done(undefined, error);
    if (call.gates === undefined) throw error;
    return call.gates.rescue(this.#tap, error);
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
    const parallel = options?.parallel === true || this.#passage.call.gates !== undefined;
    if (this.#latest !== undefined && !parallel) this.#startOver();
    const sink = parallel ? undefined : this.#sinkFor(options?.emit);
    this.#observer?.next(request);
    this.#latest =
      options?.signal === undefined && this.#observer === undefined
        ? this.#enterNext(request, this, parallel, sink)
        : handled(this.#watch(request, parallel, sink, options?.signal));
    return this.#latest;
  }

  #enterNext(
    request: Request,
    outer: Frame,
    parallel: boolean,
    sink: Sink<C> | undefined,
  ): Promise<Response> {
    const { gates } = this.#passage.call;
    if (gates !== undefined) return gates.pass(this.#index, request, outer);
    return enterLayer(this.#passage, this.#index + 1, request, outer, parallel, sink);
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
    if (emit === undefined || emit === this.emit) return this.#sink;
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
    parallel: boolean,
    sink: Sink<C> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const frame = new Frame();
    this.adopt(frame, parallel);
    const close = (): void => frame.close(signal?.reason);
    if (signal?.aborted === true) close();
    signal?.addEventListener('abort', close, { once: true });
    try {
      const response = await this.#enterNext(request, frame, false, sink);
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

  #refusal(): unknown {
    return this.settled ? late(this.#passage.call, this.#tap) : this.reason;
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
    const { plugin, hook, name, gate } = this.#tap.info;
    return { by: this, plugin, what: `${gate ? 'the gate' : hook} "${name}"`, since: this.#latest };
  }

  /** Whether its chunks wait for a layer further out, or for the consumer. */
  get #isHeldUp(): boolean {
    return this.#sink?.pressure.isOn === true;
  }
}
