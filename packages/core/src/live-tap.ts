import { ShallotError, type SourceLocation } from './errors.ts';
import type { HookName, Interceptor, Scope, TapInfo, TapObserver } from './hooks.ts';
import type { Logger } from './logger.ts';
import type { RunInfo } from './run-info.ts';
import { TapableHook, type CompileOptions } from './tapable-hook.ts';

/** Who owns a tap, a tool or a piece of state. */
export interface Owner {
  readonly id: string;
  /** A small number of its own in its agent. */
  readonly slot: number;
  readonly name: string;
  readonly version: string;
  /** Where it was listed, if that is known. */
  readonly at: SourceLocation | undefined;
  readonly log: Logger;
}

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

/** An interceptor with the plugin that registered it. */
export interface LiveInterceptor {
  readonly plugin: string;
  readonly interceptor: Interceptor;
}

/**
 * The base of our hook kinds: a tapable hook whose taps are `LiveTap`s, inserted by stage. `snapshot` gives a run a chain
 * of its own, which later changes do not touch.
 */
export abstract class ShallotHook<Call> extends TapableHook {
  constructor(name: HookName, taps: readonly LiveTap[], interceptors: readonly LiveInterceptor[]) {
    super([], name);
    for (const live of interceptors) this.intercept(shield(live, name));
    for (const tap of taps)
      this.tap({ name: tap.registration.name, stage: tap.stage, live: tap }, tap.registration.fn);
  }

  /** Makes the calls of a fixed list of taps. */
  abstract compile(options: CompileOptions): Call;

  snapshot(): Call {
    return this.compile({ taps: this.taps, interceptors: this.interceptors });
  }
}

/** The taps that tapable has put in order. */
export function liveTaps(taps: readonly object[]): LiveTap[] {
  // Every tap of a ShallotHook was inserted by its constructor, with `live`.
  return taps.map((tap) => (tap as { live: LiveTap }).live);
}

/** What the hook kinds call while somebody listens. */
export interface Watcher {
  call(...args: readonly unknown[]): void;
  tap(tap: LiveTap, value: unknown, run: RunInfo, scope?: Scope<never>): Required<TapObserver>;
  result(value: unknown): void;
  error(error: unknown): void;
}

/** One watcher for all interceptors of a hook, or undefined when nobody listens. */
export function watcherOf(interceptors: readonly object[]): Watcher | undefined {
  if (interceptors.length === 0) return undefined;
  // Every interceptor of a ShallotHook was made by `shield`.
  const list = interceptors as readonly Shielded[];
  return {
    call: (...args) => list.forEach((each) => each.call(...args)),
    tap: (tap, value, run, scope) => {
      const observers = list.map((each) => each.tap(tap, value, run, scope));
      return {
        next: (passed) => observers.forEach((observer) => observer.next(passed)),
        back: (returned, error) => observers.forEach((observer) => observer.back(returned, error)),
        done: (returned, error) => observers.forEach((observer) => observer.done(returned, error)),
      };
    },
    result: (value) => list.forEach((each) => each.result(value)),
    error: (error) => list.forEach((each) => each.error(error)),
  };
}

interface Shielded extends Watcher {
  register(options: { readonly live: LiveTap }): undefined;
}

/** An interceptor that sees taps but cannot replace them, and whose own failures carry its plugin's name. */
function shield({ plugin, interceptor }: LiveInterceptor, hook: HookName): Shielded {
  const safely = <T>(callback: string, run: () => T): T => {
    try {
      return run();
    } catch (cause) {
      throw new ShallotError('HOOK_INTERCEPTOR', {
        message: `The interceptor${interceptor.name === undefined ? '' : ` "${interceptor.name}"`} of ${plugin} on ${hook} threw in ${callback}: ${String(cause)}. An interceptor must only watch.`,
        plugin,
        hook,
        cause,
      });
    }
  };
  return {
    register: (options) => {
      safely('register', () => interceptor.register?.(options.live.info));
      return undefined;
    },
    call: (...args) => safely('call', () => interceptor.call?.(...args)),
    tap: (tap, value, run, scope) => {
      const context = scope === undefined ? { run } : { run, scope };
      const observer = safely('tap', () => interceptor.tap?.(tap.info, value, context)) ?? {};
      return {
        next: (passed) => safely('next', () => observer.next?.(passed)),
        back: (returned, error) => safely('back', () => observer.back?.(returned, error)),
        done: (returned, error) => safely('done', () => observer.done?.(returned, error)),
      };
    },
    result: (value) => safely('result', () => interceptor.result?.(value)),
    error: (error) => safely('error', () => interceptor.error?.(error)),
  };
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T>;
export function isPromise(value: unknown): value is Promise<unknown>;
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** The error for a tap that returned what its hook does not take. */
export function badResult(tap: LiveTap, received: string, wanted: string): ShallotError {
  const { plugin, hook, name } = tap.info;
  return new ShallotError('HOOK_RESULT', {
    message: `${hook} of ${plugin}${name === plugin ? '' : ` ("${name}")`} returned ${received}; it must return ${wanted}.`,
    plugin,
    hook,
  });
}

/** Names a received value in an error. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') {
    return `an object with the keys ${Object.keys(value).slice(0, 6).join(', ') || '(none)'}`;
  }
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (typeof value === 'function') return 'a function';
  return `the ${typeof value} ${(value as number | boolean | bigint | symbol).toString()}`;
}
