// tapable's types leave out the base class of its hooks, which is where a hook kind of one's own begins.
declare module 'tapable/lib/Hook.js' {
  interface FullTap {
    readonly name: string;
    readonly type: 'sync' | 'async' | 'promise';
    readonly stage?: number;
    readonly fn: unknown;
  }

  interface CompileOptions {
    readonly taps: readonly FullTap[];
    readonly interceptors: readonly object[];
    readonly args: readonly string[];
    readonly type: string;
  }

  abstract class Hook {
    constructor(args?: readonly string[], name?: string);
    readonly name: string | undefined;
    readonly taps: FullTap[];
    readonly interceptors: object[];
    tap(options: object, fn: unknown): void;
    intercept(interceptor: object): void;
    isUsed(): boolean;
    abstract compile(options: CompileOptions): (...args: never[]) => unknown;
  }

  export default Hook;
}
