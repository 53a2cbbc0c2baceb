/** The usage of a run or a session: the total, and the part used by plugins' own model calls, by plugin id. */
export interface RunUsage extends Usage {
  /** The number of model calls that came to an end, those of plugins included. */
  readonly modelCalls: number;
  readonly plugins?: Readonly<Record<string, Usage>>;
}

export const noUsage: RunUsage = Object.freeze({ input: 0, output: 0, total: 0, modelCalls: 0 });

/** Adds one model call to a sum; `plugin` marks a call that a plugin made for itself. */
export function countUsage(sum: RunUsage, usage: Usage | undefined, plugin?: string): RunUsage {
  const modelCalls = sum.modelCalls + 1;
  const counted = usage === undefined ? { ...sum, modelCalls } : { ...sum, ...added(sum, usage), modelCalls };
  if (plugin === undefined || usage === undefined) return Object.freeze(counted);
  const ofPlugin = sum.plugins?.[plugin];
  const plugins = { ...sum.plugins, [plugin]: ofPlugin === undefined ? usage : addUsage(ofPlugin, usage) };
  return Object.freeze({ ...counted, plugins: Object.freeze(plugins) });
}

/** The usage of two model calls together, frozen; details that neither has are left out. */
export function addUsage(a: Usage, b: Usage): Usage {
  return Object.freeze(added(a, b));
}

function added(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {
    input: a.input + b.input,
    output: a.output + b.output,
    total: a.total + b.total,
  };
  for (const key of ['cacheRead', 'cacheWrite', 'reasoning'] as const) {
    const value = (a[key] ?? 0) + (b[key] ?? 0);
    if (value > 0) sum[key] = value;
  }
  return sum;
}

/** The usage of several runs together. */
export function sumUsage(a: RunUsage, b: RunUsage): RunUsage {
  const sum = { ...addUsage(a, b), modelCalls: a.modelCalls + b.modelCalls };
  if (a.plugins === undefined && b.plugins === undefined) return sum;
  const plugins: Record<string, Usage> = { ...a.plugins };
  for (const [plugin, usage] of Object.entries(b.plugins ?? {})) {
    const known = plugins[plugin];
    plugins[plugin] = known === undefined ? usage : addUsage(known, usage);
  }
  return { ...sum, plugins };
}

/** Numbers of tokens. `input` includes tokens read from or written to a cache, `output` includes reasoning. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly total: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}
