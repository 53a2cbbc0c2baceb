import type { AsyncLocalStorage } from 'node:async_hooks';

/** The plugin whose code is running, kept across timers and promises. Undefined until `trackPlugins` is called. */
let context: AsyncLocalStorage<string | undefined> | undefined;

/**
 * Starts attributing timers and promises to the plugins that start them, for plugins set up from now on. It costs time
 * per tap call, so programs have to ask for it.
 */
export function trackPlugins(): void {
  context ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)();
}

/** Returns the plugin whose code is running, or whose code started it; undefined if it is unknown. */
export function currentPlugin(): string | undefined {
  return context?.getStore();
}

/**
 * Returns the function wrapped so that it runs as code of a plugin, or of none; the function itself without
 * `trackPlugins`.
 */
export function asPlugin<Args extends unknown[], Result>(
  plugin: string | (() => string | undefined),
  fn: (...args: Args) => Result,
): (...args: Args) => Result {
  const tracked = context;
  if (tracked === undefined) return fn;
  const id = typeof plugin === 'string' ? plugin : plugin();
  return (...args) => tracked.run(id, fn, ...args);
}

/** Passed to `asPlugin` for code that belongs to no plugin. */
export function nobody(): undefined {
  return undefined;
}
