import { reasonOf, ShallotError, type SourceLocation } from './errors.ts';
import type { HookName } from './hook-names.ts';
import type { Interceptor, Scope, TapInfo, TapObserver } from './hooks.ts';
import type { Logger } from './logger.ts';
import type { RunInfo } from './run-info.ts';
import { TapableHook, type CompileOptions } from './tapable-hook.ts';

/** Who owns a tap, a tool or a piece of state. */
export interface Owner {
  readonly id: string;
  /** A small number of its own in its agent. */
  readonly slot: number;
  readonly name: string;
  readonly version: string | undefined;
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
  readonly owner: Owner;
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

/** A call of a hook, as its interceptors know it. */
export interface WatchedCall {
  /** Fails the run with what nobody waits for. */
  fail(error: ShallotError): void;
}

/** Makes the one watcher of all interceptors of a hook, for a call of it. */
export type Watch = (call: WatchedCall) => Watcher;

/** Undefined when nobody listens. */
export function watchOf(interceptors: readonly object[]): Watch | undefined {
  if (interceptors.length === 0) return undefined;
  return (call) => {
    // Every interceptor of a ShallotHook was made by `shield`.
    return watcherOf(interceptors.map((each) => (each as Shielded).watch(call)));
  };
}

function watcherOf(list: readonly Watcher[]): Watcher {
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

interface Shielded {
  register(options: { readonly live: LiveTap }): undefined;
  watch(call: WatchedCall): Watcher;
}

/** An interceptor that sees taps but cannot replace them, and whose own failures carry its plugin's name. */
function shield({ owner, interceptor }: LiveInterceptor, hook: HookName): Shielded {
  const failure = (callback: string, cause: unknown): ShallotError =>
    new ShallotError('HOOK_INTERCEPTOR', {
      message: `The interceptor${interceptor.name === undefined ? '' : ` "${interceptor.name}"`} of ${owner.id} on ${hook} threw in ${callback}: ${reasonOf(cause)}. An interceptor must only watch.`,
      plugin: owner.id,
      hook,
      cause,
    });
  const guard =
    (fail: WatchedCall['fail']) =>
    <T>(callback: string, run: () => T): T => {
      try {
        const returned = run();
        // Nobody waits for an interceptor: one that is async must not leave a rejection behind.
        const rejected = (cause: unknown): void => fail(failure(callback, cause));
        if (isPromise(returned)) Promise.resolve(returned).catch(rejected);
        return returned;
      } catch (cause) {
        throw failure(callback, cause);
      }
    };
  return {
    register: (options) => {
      // No run is under way.
      const safely = guard((error) => owner.log.error({ err: error }, 'an interceptor failed'));
      safely('register', () => interceptor.register?.(options.live.info));
      return undefined;
    },
    watch: (call) =>
      watching(
        interceptor,
        guard((error) => call.fail(error)),
      ),
  };
}

function watching(interceptor: Interceptor, safely: <T>(callback: string, run: () => T) => T): Watcher {
  return {
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
  return badValue(tap, `returned ${received}; it must return ${wanted}.`);
}

/** The error for a layer or a gate that passed on what it cannot pass on. */
export function badNext(tap: LiveTap, received: string, wanted: string): ShallotError {
  return badValue(tap, `called next with ${received}; it must pass ${wanted}.`);
}

function badValue({ info: { plugin, hook, name } }: LiveTap, what: string): ShallotError {
  const label = name === plugin || name === hook ? '' : ` ("${name}")`;
  const message = `${hook} of ${plugin}${label} ${what}`;
  return new ShallotError('HOOK_RESULT', { message, plugin, hook });
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
