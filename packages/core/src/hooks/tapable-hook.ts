// @ts-expect-error -- tapable has types for its hooks only, not for the class that they are made of
import Hook from 'tapable/lib/Hook.js';

/** The arguments from which a hook kind makes its call function. */
export interface CompileOptions {
  readonly taps: readonly object[];
  readonly interceptors: readonly object[];
}

/** The base class of all tapable hooks: keeps taps ordered by stage, and interceptors. */
export interface TapableHookInstance {
  readonly name: string | undefined;
  readonly taps: object[];
  readonly interceptors: object[];
  tap(options: object, fn: unknown): void;
  intercept(interceptor: object): void;
  isUsed(): boolean;
}

// tapable's own type for the base class depends on hook arguments; ours uses only the members above.
export const TapableHook = Hook as new (args: readonly string[], name: string) => TapableHookInstance;
