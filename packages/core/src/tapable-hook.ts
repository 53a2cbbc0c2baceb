import { AsyncSeriesHook } from 'tapable';

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

type TapableHookClass = new (args: readonly string[], name: string) => TapableHookInstance;

// tapable exports its hooks, but not the class that a hook kind of one's own extends: each hook is an instance of it.
const prototype = Object.getPrototypeOf(new AsyncSeriesHook()) as { constructor: TapableHookClass };

export const TapableHook: TapableHookClass = prototype.constructor;
