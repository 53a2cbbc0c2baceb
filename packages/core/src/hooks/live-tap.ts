import type { HookName } from '../base/hook-names.ts';
import type { TapInfo } from '../contract/hooks.ts';
import type { Owner } from './owner.ts';

/** A tap as a plugin registered it, before it has a place. */
export interface TapRegistration {
  readonly hook: HookName;
  /** The tap's own label. */
  readonly name: string;
  readonly priority: number | undefined;
  readonly gate: boolean;
  readonly internal: boolean;
  /** The function as the plugin gave it; the hook's kind knows how to call it. */
  readonly fn: (...args: never[]) => unknown;
  /** Registered with `tapPromise`: anything but a promise is an error. */
  readonly wantsPromise: boolean;
}

/** A tap in its place. An agent has many of them, idle most of the time: what can be derived is. */
export class LiveTap {
  readonly owner: Owner;
  readonly registration: TapRegistration;
  readonly priority: number;
  readonly stage: number;
  /** Tells taps of one plugin and label apart, from 1. */
  readonly #count: number;

  constructor(owner: Owner, registration: TapRegistration, priority: number, stage: number, count: number) {
    this.owner = owner;
    this.registration = registration;
    this.priority = priority;
    this.stage = stage;
    this.#count = count;
  }

  /** Names the tap within its hook, also in another process: plugin, label, and the count of that label. */
  get key(): string {
    return `${this.owner.id}/${this.registration.name}/${this.#count}`;
  }

  get info(): TapInfo {
    const { name, hook, gate, internal } = this.registration;
    const { priority, stage } = this;
    return Object.freeze({ plugin: this.owner.id, name, hook, priority, gate, internal, stage });
  }
}
