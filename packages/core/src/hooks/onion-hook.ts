import type { Frame } from './frame.ts';
import type { LiveTap } from './live-tap.ts';
import type { OnionCall } from './onion-call.ts';
import { enterLayer, OnionPass } from './onion-layer.ts';
import { liveTaps, ShallotHook } from './shallot-hook.ts';
import type { Sink } from './sink.ts';
import type { CompileOptions } from './tapable-hook.ts';
import { watchOf, type Watch } from './watcher.ts';

/** Calls the layers, outermost first, and the core inside them. `frame` covers the whole call. */
export type Onion<Request, Response, C> = (
  request: Request,
  call: OnionCall<Request, Response, C>,
  frame: Frame,
  sink: Sink<C> | undefined,
) => Promise<Response>;

export interface OnionSnapshot<Request, Response, C> {
  /** The layers, outermost first. */
  readonly taps: readonly LiveTap[];
  /** The gates, outermost first. The core calls them. */
  readonly gates: readonly LiveTap[];
  /** True without layers and interceptors. */
  readonly isIdle: boolean;
  /** Returns the watcher for a call; undefined without interceptors. */
  readonly watch: Watch | undefined;
  readonly call: Onion<Request, Response, C>;
}

/**
 * The hook kind of `wrapModelCall` and `wrapToolCall`: each layer decides whether, when and with which request the next
 * layer is called.
 */
export class OnionHook<Request, Response, C> extends ShallotHook<OnionSnapshot<Request, Response, C>> {
  override compile({ taps, interceptors }: CompileOptions): OnionSnapshot<Request, Response, C> {
    return composeOnion(liveTaps(taps), watchOf(interceptors));
  }
}

/** Returns the onion of a fixed list of taps. */
export function composeOnion<Request, Response, C>(
  all: readonly LiveTap[],
  watch: Watch | undefined,
): OnionSnapshot<Request, Response, C> {
  const taps = all.filter((tap) => !tap.registration.gate);
  const gates = all.filter((tap) => tap.registration.gate);
  if (watch === undefined) {
    const enter: Onion<Request, Response, C> =
      taps.length === 0
        ? (request, call, frame, sink) => call.core(request, frame, sink)
        : (request, call, frame, sink) =>
            enterLayer(new OnionPass(taps, undefined, call), 0, request, frame, false, sink);
    return { taps, gates, isIdle: taps.length === 0, watch, call: enter };
  }
  return {
    taps,
    gates,
    isIdle: false,
    watch,
    call: async (request, call, frame, sink) => {
      const watcher = watch(call);
      watcher.call(request);
      try {
        const pass = new OnionPass<Request, Response, C>(taps, watcher, call);
        const response = await enterLayer(pass, 0, request, frame, false, sink);
        watcher.result(response);
        return response;
      } catch (error) {
        watcher.error(error);
        throw error;
      }
    },
  };
}
