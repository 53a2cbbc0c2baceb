import type { AsyncLocalStorage } from 'node:async_hooks';

/** Whose code is running, in everything that it starts. Undefined until somebody wants to know. */
let context: AsyncLocalStorage<string | undefined> | undefined;

/**
 * From now on it is known of the plugins that are set up what they start, timers and promises included. It costs something
 * for each call of a tap, so a program has to ask for it.
 */
export function trackPlugins(): void {
  context ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)();
}

/** The plugin whose code is running, or has started what is running. */
export function currentPlugin(): string | undefined {
  return context?.getStore();
}

/** The same function, run as a plugin's own code, or as nobody's. */
export function asPlugin<Args extends unknown[], Result>(
  plugin: string | (() => string | undefined),
  fn: (...args: Args) => Result,
): (...args: Args) => Result {
  const tracked = context;
  if (tracked === undefined) return fn;
  const id = typeof plugin === 'string' ? plugin : plugin();
  return (...args) => tracked.run(id, fn, ...args);
}

/** For what runs on nobody's account, whoever called it. */
export function nobody(): undefined {
  return undefined;
}
