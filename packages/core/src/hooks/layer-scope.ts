import type { Address } from '../base/address.ts';
import { ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import type { Edit, Scope, ToolScope, WrapRun } from '../contract/hooks.ts';
import type { Emit } from '../contract/model.ts';
import { Frame } from './frame.ts';
import { inHookTime } from './in-hook-time.ts';
import type { LiveTap } from './live-tap.ts';
import type { AnyOnionCall } from './onion-call.ts';
import type { Sink } from './sink.ts';
import type { Stretch } from './stretches.ts';

/**
 * The `scope` of a layer or gate. It is also the layer and the frame around its inner work: separate objects per layer
 * and call would cost noticeable time.
 */
export class LayerScope<C> extends Frame implements Scope<C> {
  readonly attempt: number;
  readonly #call: AnyOnionCall;
  readonly #tap: LiveTap;
  readonly #sink: Sink<C> | undefined;
  #emit: Emit<C> | undefined = undefined;
  /** The number of children that this entry of the layer has asked for. */
  #children = 0;

  constructor(call: AnyOnionCall, tap: LiveTap, attempt: number, sink: Sink<C> | undefined) {
    super();
    this.attempt = attempt;
    this.#call = call;
    this.#tap = tap;
    this.#sink = sink;
  }

  get run(): WrapRun {
    return this.#call.runFor(this.#tap);
  }

  get address(): Address {
    return this.#call.address;
  }

  get resumed(): boolean {
    return this.#call.resumed;
  }

  get origin(): Scope['origin'] {
    return this.#call.origin;
  }

  get edit(): Edit | undefined {
    return this.#call.gates?.edit;
  }

  get output(): ToolScope['output'] {
    return this.#call.gates?.output;
  }

  get display(): ToolScope['display'] {
    return this.#call.gates?.display;
  }

  get emit(): Emit<C> | undefined {
    const sink = this.#sink;
    if (sink === undefined) return undefined;
    this.#emit ??= (chunk) => (this.over ? undefined : sink.push(chunk));
    return this.#emit;
  }

  // Getters return functions without `this`, since plugins often destructure them.

  get check(): ToolScope['check'] {
    const { gates } = this.#call;
    return gates === undefined ? undefined : (call) => gates.check(call);
  }

  get interrupt(): Scope['interrupt'] {
    return (request) => this.#refusal() ?? this.#call.interrupt(this.#tap, request);
  }

  get child(): Scope['child'] {
    return (options) => {
      const refusal = this.#refusal();
      if (refusal !== undefined) return refusal;
      this.#children += 1;
      const at = { ordinal: this.#children, frame: this };
      // The time of the child does not count as the layer's.
      return this.asking(() => this.#call.child(this.#tap, at, options));
    };
  }

  get once(): Scope['once'] {
    return (key, fn) =>
      this.#refusal() ??
      this.#call.once(this.#tap, this.attempt, key, () =>
        this.#call.run.signs.stretches.around(this.#portion(`once("${key}")`), fn),
      );
  }

  get inTime(): Scope['inTime'] {
    return (what, fn) => this.#refusal() ?? inHookTime(this.#call.run, this.#tap, { what, scope: this }, fn);
  }

  get asking(): Scope['asking'] {
    return (fn) => handled(this.#call.run.signs.stretches.during(this.#portion(), fn));
  }

  get replaceMessages(): Scope['replaceMessages'] {
    return (messages) => this.#call.replaceMessages(this.#tap, messages);
  }

  /**
   * Returns a rejected promise once the layer was abandoned or has settled, since it may not write to the record then.
   */
  #refusal(): Promise<never> | undefined {
    if (!this.over) return undefined;
    if (this.closed) return handled(Promise.reject(this.reason));
    // A gate gets the same error for `next` and for everything else.
    const error = this.#call.gates === undefined ? abandoned(this.#tap) : late(this.#call, this.#tap);
    return handled(Promise.reject(error));
  }

  #portion(what?: string): Stretch {
    const { plugin } = this.#tap.info;
    return { plugin, scope: this, ...(what === undefined ? {} : { what }) };
  }
}

/**
 * Returns the error for calls that still run inside a layer when it settles or calls `next` again, and for calls of its
 * scope after that.
 */
export function abandoned(tap: LiveTap): ShallotError {
  const { plugin, hook } = tap.info;
  return new ShallotError('LAYER_CLOSED', {
    message: `${plugin} has settled its layer of ${hook}, or called next again, while this was still running.`,
    plugin,
    hook,
  });
}

/**
 * Returns the error for a layer or gate that calls `next` after it has settled. It is also reported as a warning,
 * because the rejection may go unnoticed.
 */
export function late(call: AnyOnionCall, tap: LiveTap): ShallotError {
  const { plugin, hook, gate } = tap.info;
  const what = gate
    ? 'after its gate had settled; the call was not executed'
    : `of ${hook} after its layer had settled`;
  const error = new ShallotError('NEXT_LATE', {
    message: `${plugin} called next ${what}. Await next, or return its result.`,
    plugin,
    hook,
  });
  call.report(error);
  return error;
}
