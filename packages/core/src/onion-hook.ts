import { ShallotError } from './errors.ts';
import { Frame } from './frame.ts';
import type { Edit, NextOptions, Scope, TapObserver, WrapRun } from './hooks.ts';
import type { InterruptRequest } from './interrupt.ts';
import type { JsonValue } from './json.ts';
import {
  badResult,
  describeValue,
  isPromise,
  liveTaps,
  ShallotHook,
  watcherOf,
  type LiveTap,
  type Watcher,
} from './live-tap.ts';
import type { MessageInput } from './messages.ts';
import type { Emit } from './model.ts';
import type { Schema, SchemaOutput } from './schema.ts';
import { sinkFor, type Sink } from './sink.ts';
import type { CompileOptions } from './tapable-hook.ts';

/** What one call of an onion needs from the run: the innermost handler, and the services behind `scope`. */
export interface OnionCall<Request, Response, C> {
  readonly resumed: boolean;
  readonly origin: Scope['origin'];
  /** The innermost handler. */
  core(request: Request, frame: Frame, sink: Sink<C> | undefined): Promise<Response>;
  runFor(tap: LiveTap): WrapRun;
  /** Checks what a layer passes on, and completes it. Throws for junk. */
  acceptRequest(tap: LiveTap, passed: unknown, given: Request): Request;
  /** Throws when a layer returned junk. */
  acceptResponse(tap: LiveTap, returned: unknown): Response;
  /** Notes who threw; called inside out, so that the first note is the right one. */
  blame(tap: LiveTap, error: unknown): void;
  /** Reports an error that no layer can be told of any more. */
  report(tap: LiveTap, error: ShallotError): void;
  interrupt<S extends Schema>(tap: LiveTap, request: InterruptRequest<S>): Promise<SchemaOutput<S>>;
  once<T>(tap: LiveTap, attempt: number, key: string, fn: () => T | Promise<T>): Promise<T>;
  replaceMessages(tap: LiveTap, messages: readonly MessageInput[]): void;
  /** What a sink is told before the layers inside start over; undefined for chunks that know no restart. */
  readonly restart: C | undefined;
}

/** Calls the layers, outermost first, and the core inside them. The frame stands for the whole call. */
export type Onion<Request, Response, C> = (
  request: Request,
  call: OnionCall<Request, Response, C>,
  frame: Frame,
  sink: Sink<C> | undefined,
) => Promise<Response>;

export interface OnionSnapshot<Request, Response, C> {
  /** The layers, outermost first. */
  readonly taps: readonly LiveTap[];
  /** The taps inside them that decide whether a call may be executed; whoever is the core calls them. */
  readonly gates: readonly LiveTap[];
  readonly watcher: Watcher | undefined;
  readonly call: Onion<Request, Response, C>;
}

/** `wrapModelCall` and `wrapToolCall`: each layer decides whether, when and with what the ones inside it are called. */
export class OnionHook<Request, Response, C> extends ShallotHook<OnionSnapshot<Request, Response, C>> {
  override compile({ taps, interceptors }: CompileOptions): OnionSnapshot<Request, Response, C> {
    return composeOnion(liveTaps(taps), watcherOf(interceptors));
  }
}

/** Makes the call function of a fixed list of layers. */
export function composeOnion<Request, Response, C>(
  all: readonly LiveTap[],
  watcher: Watcher | undefined,
): OnionSnapshot<Request, Response, C> {
  const taps = all.filter((tap) => !tap.info.gate);
  const gates = all.filter((tap) => tap.info.gate);
  const chain = { taps, watcher };
  const enter: Onion<Request, Response, C> = (request, call, frame, sink) =>
    enterLayer<Request, Response, C>({ chain, call, attempts: [] }, 0, request, frame, sink);
  if (watcher === undefined) return { taps, gates, watcher, call: enter };
  return {
    taps,
    gates,
    watcher,
    call: async (request, call, frame, sink) => {
      watcher.call(request);
      try {
        const response = await enter(request, call, frame, sink);
        watcher.result(response);
        return response;
      } catch (error) {
        watcher.error(error);
        throw error;
      }
    },
  };
}

/** One passage through an onion. */
interface Passage<Request, Response, C> {
  readonly chain: { readonly taps: readonly LiveTap[]; readonly watcher: Watcher | undefined };
  readonly call: OnionCall<Request, Response, C>;
  /** How often each layer was entered. */
  readonly attempts: number[];
}

type WrapFn<Request, Response, C> = (
  request: Request,
  next: (request: Request, options?: NextOptions<C>) => Promise<Response>,
  scope: Scope<C>,
) => unknown;

function enterLayer<Request, Response, C>(
  passage: Passage<Request, Response, C>,
  index: number,
  request: Request,
  frame: Frame,
  sink: Sink<C> | undefined,
): Promise<Response> {
  const tap = passage.chain.taps[index];
  if (tap === undefined) return passage.call.core(request, frame, sink);
  const layer = new Layer(passage, index, tap, request, frame, sink);
  let returned: unknown;
  try {
    returned = (tap.fn as WrapFn<Request, Response, C>)(request, layer.next, layer);
  } catch (error) {
    return layer.failed(error);
  }
  return layer.returned(returned);
}

/** One entry of one layer: what its tap sees as `scope`. */
class Layer<Request, Response, C> implements Scope<C> {
  readonly attempt: number;
  readonly next: (request: Request, options?: NextOptions<C>) => Promise<Response>;
  readonly #passage: Passage<Request, Response, C>;
  readonly #index: number;
  readonly #tap: LiveTap;
  readonly #request: Request;
  readonly #frame: Frame;
  readonly #sink: Sink<C> | undefined;
  readonly #observer: Required<TapObserver> | undefined;
  #emit: Emit<C> | undefined;
  #descents = 0;
  /** Whether the tap's function has given control back. */
  #entered = false;
  #latest: Promise<Response> | undefined;

  constructor(
    passage: Passage<Request, Response, C>,
    index: number,
    tap: LiveTap,
    request: Request,
    frame: Frame,
    sink: Sink<C> | undefined,
  ) {
    this.#passage = passage;
    this.#index = index;
    this.#tap = tap;
    this.#request = request;
    this.#frame = frame;
    this.#sink = sink;
    this.attempt = passage.attempts[index] = (passage.attempts[index] ?? 0) + 1;
    this.next = (passed, options) => this.#next(passed, options);
    this.#observer = passage.chain.watcher?.tap(tap, request, this.run, this as Scope<never>);
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

  get signal(): AbortSignal {
    return this.#frame.signal;
  }

  get emit(): Emit<C> | undefined {
    const sink = this.#sink;
    if (sink === undefined) return undefined;
    this.#emit ??= (chunk) => (this.#frame.closed || this.#frame.settled ? undefined : sink.push(chunk));
    return this.#emit;
  }

  interrupt<S extends Schema>(request: InterruptRequest<S>): Promise<SchemaOutput<S>> {
    return this.#passage.call.interrupt(this.#tap, request);
  }

  once<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    return this.#passage.call.once(this.#tap, this.attempt, key, fn);
  }

  replaceMessages(messages: readonly MessageInput[]): void {
    this.#passage.call.replaceMessages(this.#tap, messages);
  }

  /** What the tap's function gave back; a promise that `next` gave is passed on as it is. */
  returned(value: unknown): Promise<Response> {
    this.#entered = true;
    if (this.#latest !== undefined) {
      if (value === this.#latest && this.#observer === undefined) {
        this.#frame.settleWithInner();
        return this.#latest;
      }
      // Whoever does not await `next` must not be able to leave a rejection behind.
      this.#latest.catch(ignore);
    }
    if (isPromise(value)) return this.#settle(value);
    if (this.#tap.wantsPromise) {
      return this.failed(
        badResult(this.#tap, describeValue(value), 'a promise, as it was registered with tapPromise'),
      );
    }
    try {
      return Promise.resolve(this.#finish(value));
    } catch (error) {
      return this.failed(error);
    }
  }

  failed(error: unknown): Promise<Response> {
    this.#entered = true;
    this.#latest?.catch(ignore);
    return Promise.reject(this.#fail(error));
  }

  async #settle(promise: Promise<unknown>): Promise<Response> {
    let value: unknown;
    try {
      value = await promise;
      return this.#finish(value);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #finish(value: unknown): Response {
    this.#close();
    const response = this.#passage.call.acceptResponse(this.#tap, value);
    this.#observer?.done(response);
    return response;
  }

  #fail(error: unknown): unknown {
    this.#close();
    this.#passage.call.blame(this.#tap, error);
    this.#observer?.done(undefined, error);
    return error;
  }

  #close(): void {
    this.#frame.settle();
    this.#frame.closeInner(() => abandoned(this.#tap));
  }

  #next(passed: Request, options: NextOptions<C> | undefined): Promise<Response> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return handled(Promise.reject(refusal));
    const { call } = this.#passage;
    const parallel = options?.parallel === true;
    let request: Request;
    try {
      request = passed === this.#request ? passed : call.acceptRequest(this.#tap, passed, this.#request);
    } catch (error) {
      return handled(Promise.reject(error));
    }
    if (!parallel && this.#descents > 0) this.#startOver();
    this.#descents += 1;
    const frame = new Frame();
    this.#frame.adopt(frame, parallel);
    const sink = parallel ? undefined : this.#sinkFor(options?.emit, frame);
    const unlink = options?.signal === undefined ? undefined : closeOnAbort(frame, options.signal);
    const inner = enterLayer(this.#passage, this.#index + 1, request, frame, sink);
    const promise = unlink === undefined && this.#observer === undefined ? inner : this.#watch(inner, request, unlink);
    this.#latest = promise;
    return this.#entered ? handled(promise) : promise;
  }

  /** What is still running below is given up, and whoever listens is told to forget it. */
  #startOver(): void {
    this.#frame.closeInner(() => abandoned(this.#tap));
    const { restart } = this.#passage.call;
    if (restart !== undefined && this.#sink?.dirty === true) {
      void this.#sink.push(restart);
    }
  }

  #sinkFor(emit: Emit<C> | undefined, frame: Frame): Sink<C> | undefined {
    if (emit === undefined || emit === this.#emit) return this.#sink;
    return sinkFor(emit, (error) => {
      this.#passage.call.blame(this.#tap, error);
      frame.close(error);
    });
  }

  async #watch(inner: Promise<Response>, request: Request, unlink: (() => void) | undefined): Promise<Response> {
    this.#observer?.next(request);
    try {
      const response = await inner;
      this.#observer?.back(response);
      return response;
    } catch (error) {
      this.#observer?.back(undefined, error);
      throw error;
    } finally {
      unlink?.();
    }
  }

  #refusal(): unknown {
    const { plugin, hook } = this.#tap.info;
    if (this.#frame.settled) {
      const error = new ShallotError('NEXT_LATE', {
        message: `${plugin} called next of ${hook} after its layer had settled. Await next, or return what it gives.`,
        plugin,
        hook,
      });
      this.#passage.call.report(this.#tap, error);
      return error;
    }
    return this.#frame.closed ? this.#frame.reason : undefined;
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

function closeOnAbort(frame: Frame, signal: AbortSignal): () => void {
  const close = (): void => frame.close(signal.reason);
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  return () => signal.removeEventListener('abort', close);
}

/** The same promise; its rejection is nobody's loss if nobody awaits it. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore);
  return promise;
}

function ignore(): void {}
