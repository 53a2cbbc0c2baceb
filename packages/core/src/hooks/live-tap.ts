import type { HookName } from '../base/hook-names.ts';
import type { TapInfo } from '../contract/hooks.ts';
import type { Owner } from './owner.ts';

/** A tap as its plugin registered it, without its place in the order. */
export interface TapRegistration {
  readonly hook: HookName;
  /** The label given to `tap`. */
  readonly name: string;
  readonly priority: number | undefined;
  readonly gate: boolean;
  readonly internal: boolean;
  /** True if the tap also surrounds child runs. */
  readonly tree: boolean;
  /** Set for a tap registered with `input: true` or `result: true`. */
  readonly on?: 'input' | 'result' | undefined;
  /** The plugin's function; its arguments depend on the hook. */
  readonly fn: (...args: never[]) => unknown;
  /** True if registered with `tapPromise`: any return value but a promise is an error. */
  readonly wantsPromise: boolean;
}

/**
 * A tap in its place in the order. Derived data is computed on access, since an agent has many taps that rarely run.
 */
export class LiveTap {
  readonly owner: Owner;
  readonly registration: TapRegistration;
  readonly priority: number;
  readonly stage: number;
  /** The ordinal among the plugin's taps of this hook with the same label, from 1. */
  readonly #count: number;

  constructor(owner: Owner, registration: TapRegistration, priority: number, stage: number, count: number) {
    this.owner = owner;
    this.registration = registration;
    this.priority = priority;
    this.stage = stage;
    this.#count = count;
  }

  /** Identifies the tap within its hook, in every process: plugin, label, and number. */
  get key(): string {
    return `${this.owner.id}/${this.registration.name}/${this.#count}`;
  }

  get info(): TapInfo {
    const { name, hook, gate, internal, on, tree } = this.registration;
    const { priority, stage } = this;
    const info = { plugin: this.owner.id, name, hook, priority, gate, internal, stage };
    if (on === undefined && tree === gate) return Object.freeze(info);
    return Object.freeze({
      ...info,
      ...(on === undefined ? {} : { on }),
      ...(tree === gate ? {} : { tree }),
    });
  }
}
