// @ts-expect-error -- tapable has types for its hooks only, not for the class that they are made of
import Hook from 'tapable/lib/Hook.js';

/** What a hook kind gets from tapable when it is to make its call function. */
export interface CompileOptions {
  readonly taps: readonly object[];
  readonly interceptors: readonly object[];
}

/** The class that all of tapable's hooks are made of: keeps taps in order of their stage, and interceptors. */
export interface TapableHookInstance {
  readonly name: string | undefined;
  readonly taps: object[];
  readonly interceptors: object[];
  tap(options: object, fn: unknown): void;
  intercept(interceptor: object): void;
  isUsed(): boolean;
}

// tapable types its base class by the arguments of its own hooks; the members that ours use are those above.
export const TapableHook = Hook as new (args: readonly string[], name: string) => TapableHookInstance;
