import type { Frame } from './frame.ts';
import type { LiveTap } from './live-tap.ts';
import type { OnionCall } from './onion-call.ts';
import { enterLayer, Passage } from './onion-layer.ts';
import { liveTaps, ShallotHook } from './shallot-hook.ts';
import type { Sink } from './sink.ts';
import type { CompileOptions } from './tapable-hook.ts';
import { watchOf, type Watch } from './watcher.ts';

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
  /** Whether nobody listens. */
  readonly quiet: boolean;
  /** What makes a watcher for a call; undefined when nobody listens. */
  readonly watch: Watch | undefined;
  readonly call: Onion<Request, Response, C>;
}

/** `wrapModelCall` and `wrapToolCall`: each layer decides whether, when and with what the ones inside it are called. */
export class OnionHook<Request, Response, C> extends ShallotHook<OnionSnapshot<Request, Response, C>> {
  override compile({ taps, interceptors }: CompileOptions): OnionSnapshot<Request, Response, C> {
    return composeOnion(liveTaps(taps), watchOf(interceptors));
  }
}

/** Makes the call function of a fixed list of layers. */
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
            enterLayer(new Passage(taps, undefined, call), 0, request, frame, false, sink);
    return { taps, gates, quiet: true, watch, call: enter };
  }
  return {
    taps,
    gates,
    quiet: false,
    watch,
    call: async (request, call, frame, sink) => {
      const watcher = watch(call);
      watcher.call(request);
      try {
        const passage = new Passage<Request, Response, C>(taps, watcher, call);
        const response = await enterLayer(passage, 0, request, frame, false, sink);
        watcher.result(response);
        return response;
      } catch (error) {
        watcher.error(error);
        throw error;
      }
    },
  };
}
