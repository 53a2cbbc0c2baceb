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

/** One call of an onion, made of layers or of gates. */
export class OnionPass<Request, Response, C> {
  readonly taps: readonly LiveTap[];
  readonly watcher: Watcher | undefined;
  readonly call: OnionCall<Request, Response, C>;
  #checked: unknown;
  /** The number of times that each layer was entered. */
  readonly #attempts: number[] = [];

  constructor(taps: readonly LiveTap[], watcher: Watcher | undefined, call: OnionCall<Request, Response, C>) {
    this.taps = taps;
    this.watcher = watcher;
    this.call = call;
  }

  /** Counts an entry of a layer. Returns its attempt number, from 1. */
  enter(index: number): number {
    return (this.#attempts[index] = (this.#attempts[index] ?? 0) + 1);
  }

  /** Validates a layer's return value. The object that was validated last, further inside, is not validated again. */
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

/**
 * Enters the layer at this index, or the core behind the last layer, in a new frame inside `outer`. `parallel` keeps
 * the frames that are already there.
 */
export function enterLayer<Request, Response, C>(
  pass: OnionPass<Request, Response, C>,
  index: number,
  request: Request,
  outer: Frame,
  parallel: boolean,
  sink: Sink<C> | undefined,
): Promise<Response> {
  const tap = pass.taps[index];
  if (tap === undefined) {
    const frame = new Frame();
    outer.adopt(frame, parallel);
    return pass.call.core(request, frame, sink);
  }
  const layer = new Layer(pass, index, tap, request, sink);
  outer.adopt(layer, parallel);
  return layer.call();
}

/** One entry of one layer. */
class Layer<Request, Response, C> extends LayerScope<C> {
  readonly next: (request: Request, options?: NextOptions<C>) => Promise<Response>;
  readonly #pass: OnionPass<Request, Response, C>;
  readonly #index: number;
  readonly #tap: LiveTap;
  readonly #request: Request;
  readonly #sink: Sink<C> | undefined;
  readonly #observer: Required<TapObserver> | undefined;
  /** The promise that the latest `next` call returned. */
  #latest: Promise<Response> | undefined = undefined;
  /** The promises of earlier `next` calls that run in parallel to the latest. */
  #beside: Promise<Response>[] | undefined = undefined;
  /** The destination of inner chunks, if this layer passed an `emit` to `next`. */
  #ownSink: Sink<C> | undefined = undefined;
  #isDone = false;

  constructor(
    pass: OnionPass<Request, Response, C>,
    index: number,
    tap: LiveTap,
    request: Request,
    sink: Sink<C> | undefined,
  ) {
    super(pass.call, tap, pass.call.gates?.attempt ?? pass.enter(index), sink);
    this.#pass = pass;
    this.#index = index;
    this.#tap = tap;
    this.#request = request;
    this.#sink = sink;
    this.next = (passed, options) => this.#next(passed, options);
    this.#observer = pass.watcher?.tap(tap, request, this.run, this);
  }

  /** Calls the tap. Returns a promise for the validated response. */
  call(): Promise<Response> {
    try {
      const fn = this.#tap.registration.fn as WrapFn<Request, Response, C>;
      const returned = fn(this.#request, this.next, this);
      // A layer that only passes through costs no further promise.
      if (returned !== undefined && returned === this.#latest && this.#passesThrough()) return this.#latest;
      // Converts thenables, which may call back synchronously or never return a promise.
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

  /** Makes the layer settle with the one inside, if nobody observes it. Returns false if it has to settle by itself. */
  #passesThrough(): boolean {
    return this.#observer === undefined && this.settleWithInner();
  }

  #settle(value: Promise<unknown>): Promise<Response> {
    const settled: Promise<Response> = value.then(
      (response) => {
        try {
          const finished = this.#finish(response);
          if (isPromise(finished)) void handled(settled);
          return finished;
        } catch (error) {
          void handled(settled);
          return this.#fail(error);
        }
      },
      (error: unknown) => {
        // Marked as handled only on rejection, because most calls succeed.
        void handled(settled);
        return this.#fail(error);
      },
    );
    return settled;
  }

  #finish(value: unknown): Response | Promise<Response> {
    const ending = this.#openBranches();
    if (ending === undefined) return this.#respond(value);
    return handled(ending.then(() => this.#respond(value)).catch((error: unknown) => this.#throw(error)));
  }

  #respond(value: unknown): Response {
    this.#close();
    const response = this.#pass.accept(this.#tap, value);
    this.#observer?.done(response);
    return response;
  }

  #fail(thrown: unknown): Response | Promise<Response> {
    const ending = this.#openBranches();
    return ending === undefined ? this.#throw(thrown) : ending.then(() => this.#throw(thrown));
  }

  /**
   * Settles the layer with an error: rethrows it, or lets the gate rules turn it into a result. The plugin is blamed for the
   * error unless a layer further inside threw it.
   */
  #throw(thrown: unknown): Response {
    const error = asThrown(thrown);
    this.#close();
    const { call } = this.#pass;
    call.blame(this.#tap, error);
    this.#observer?.done(undefined, error);
    if (call.gates === undefined) throw error;
    return call.gates.rescue(this.#tap, error);
  }

  /**
   * Waits for the calls of `next` in progress while the tool call waits for an answer: the layer will run again and
   * needs their results, so they are not abandoned. Returns undefined if there is nothing to wait for.
   */
  #openBranches(): Promise<unknown> | undefined {
    if (this.over || !this.isBusyInside || !this.#pass.call.hasOpenQuestion) return undefined;
    return this.wait(Promise.allSettled([this.#latest, ...(this.#beside ?? [])])).catch(() => undefined);
  }

  /** Settles the frame, and abandons inner layers that the tap did not wait for. */
  #close(): void {
    this.#isDone = true;
    this.settle();
    if (this.isBusyInside) this.closeInner(abandoned(this.#tap));
  }

  /** Validates a request and enters the layers inside. Rejects once the layer has settled or was abandoned. */
  #next(passed: Request, options: NextOptions<C> | undefined): Promise<Response> {
    if (this.over) return handled(Promise.reject(this.#refusal()));
    let request = passed;
    try {
      if (options !== undefined) checkNextOptions(this.#tap, options);
      if (passed !== this.#request) request = this.#pass.call.acceptRequest(this.#tap, passed, this.#request);
    } catch (error) {
      return handled(Promise.reject(error));
    }
    const parallel = options?.parallel === true || this.#pass.call.gates !== undefined;
    if (this.#latest !== undefined) {
      if (parallel) (this.#beside ??= []).push(this.#latest);
      else this.#startOver();
    }
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
    const { gates } = this.#pass.call;
    if (gates !== undefined) return gates.pass(this.#index, request, outer);
    return enterLayer(this.#pass, this.#index + 1, request, outer, parallel, sink);
  }

  /** Abandons running inner layers and their `replaceMessages`, and emits `restart` if chunks have been sent. */
  #startOver(): void {
    this.#beside = undefined;
    if (this.isBusyInside) this.closeInner(abandoned(this.#tap));
    this.#pass.call.startedOver(this.#tap);
    const { restart } = this.#pass.call;
    if (restart !== undefined && this.#sink?.dirty === true) {
      void this.#sink.push(restart);
    }
  }

  /** Returns the sink for inner chunks. An `emit` of the layer that throws closes the layers inside. */
  #sinkFor(emit: Emit<C> | undefined): Sink<C> | undefined {
    if (emit === undefined || emit === this.emit) return this.#sink;
    this.#ownSink = sinkFor(emit, (thrown) => {
      const error = asThrown(thrown);
      this.#pass.call.blame(this.#tap, error);
      this.closeInner(error);
    });
    return this.#ownSink;
  }

  /** Enters the layers inside with the layer's own abort signal, and reports the outcome to the observer. */
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
    signal?.addEventListener('abort', close);
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
    return this.settled ? late(this.#pass.call, this.#tap) : this.reason;
  }

  // The following members report what the run is waiting for.

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

  /** True while chunks from inside wait for an outer layer or the consumer; the wait is then reported there. */
  get #isHeldUp(): boolean {
    return this.#sink?.pressure.isOn === true;
  }
}
