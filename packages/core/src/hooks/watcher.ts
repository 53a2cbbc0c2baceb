import { ShallotError } from '../base/errors.ts';
import type { HookName } from '../base/hook-names.ts';
import { isPromise } from '../base/is-promise.ts';
import { reasonOf } from '../base/thrown.ts';
import type { Interceptor, Scope, TapObserver } from '../contract/hooks.ts';
import type { RunInfo } from '../contract/run-info.ts';
import type { LiveTap } from './live-tap.ts';
import type { Owner } from './owner.ts';

/** An interceptor, and the plugin that registered it. */
export interface LiveInterceptor {
  readonly owner: Owner;
  readonly interceptor: Interceptor;
}

/** Receives the progress of a hook call. */
export interface Watcher {
  call(...args: readonly unknown[]): void;
  tap(tap: LiveTap, value: unknown, run: RunInfo, scope?: Scope<never>): Required<TapObserver>;
  result(value: unknown): void;
  error(error: unknown): void;
}

/** A hook call as its interceptors see it. */
export interface WatchedCall {
  /** Fails the run with an error that no caller can receive. */
  fail(error: ShallotError): void;
}

/** Returns one watcher for all interceptors of a hook, for one call. */
export type Watch = (call: WatchedCall) => Watcher;

/** Returns the function that creates a watcher per call; undefined without interceptors. */
export function watchOf(interceptors: readonly object[]): Watch | undefined {
  if (interceptors.length === 0) return undefined;
  return (call) => {
    // `shield` made every interceptor of a ShallotHook.
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

/** Wraps an interceptor so that it can observe taps but not replace them, and its errors name its plugin. */
export function shield({ owner, interceptor }: LiveInterceptor, hook: HookName): Shielded {
  const failure = (callback: string, cause: unknown): ShallotError =>
    new ShallotError('HOOK_INTERCEPTOR', {
      message: `The interceptor${interceptor.name === undefined ? '' : ` "${interceptor.name}"`} of ${owner.id} on ${hook} threw in ${callback}: ${reasonOf(cause)}. An interceptor may only observe.`,
      plugin: owner.id,
      hook,
      cause,
    });
  const guard =
    (fail: WatchedCall['fail']) =>
    <T>(callback: string, run: () => T): T => {
      try {
        const returned = run();
        // Nothing awaits an interceptor, so the rejection of an async one is handled here.
        const rejected = (cause: unknown): void => fail(failure(callback, cause));
        if (isPromise(returned)) Promise.resolve(returned).catch(rejected);
        return returned;
      } catch (cause) {
        throw failure(callback, cause);
      }
    };
  return {
    register: (options) => {
      // Registration happens outside of runs, so errors are only logged.
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

export interface InterceptorRegistration {
  readonly hook: HookName;
  readonly interceptor: Interceptor;
}
