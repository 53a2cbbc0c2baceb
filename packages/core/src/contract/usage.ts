/** The usage of a run or a session: the total, and the part used by plugins' own model calls, by plugin id. */
export interface RunUsage extends Usage {
  /** The number of finished model calls, including those of plugins. */
  readonly modelCalls: number;
  /** The number of calls without reported tokens, which the sums do not include. Undefined if there are none. */
  readonly unreported?: number;
  /** The cost of all calls that have a price, in US dollars. Absent if the agent has no `prices`. */
  readonly cost?: number;
  /** The number of calls without a price. Absent if there are none, or if the agent has no `prices`. */
  readonly unpriced?: number;
  readonly plugins?: Readonly<Record<string, Usage>>;
}

export const noUsage: RunUsage = Object.freeze({ input: 0, output: 0, total: 0, modelCalls: 0 });

/** The plugin that made a call for itself, and the cost of the call if the agent has prices. */
export interface CallCount {
  readonly plugin?: string | undefined;
  readonly cost?: number | 'unknown' | undefined;
}

/** Adds one model call to a sum. */
export function countUsage(sum: RunUsage, usage: Usage | undefined, call: CallCount = {}): RunUsage {
  return Object.freeze({ ...withTokens(sum, usage, call.plugin), ...costs(sum, call.cost) });
}

function costs({ cost = 0, unpriced = 0 }: RunUsage, added: CallCount['cost']): Partial<RunUsage> {
  if (added === undefined) return {};
  return added === 'unknown' ? { cost, unpriced: unpriced + 1 } : { cost: cost + added };
}

function withTokens(sum: RunUsage, usage: Usage | undefined, plugin: string | undefined): RunUsage {
  const modelCalls = sum.modelCalls + 1;
  const counted =
    usage === undefined
      ? { ...sum, modelCalls, unreported: (sum.unreported ?? 0) + 1 }
      : { ...sum, ...added(sum, usage), modelCalls };
  if (plugin === undefined || usage === undefined) return counted;
  const ofPlugin = sum.plugins?.[plugin];
  const plugins = { ...sum.plugins, [plugin]: ofPlugin === undefined ? usage : addUsage(ofPlugin, usage) };
  return { ...counted, plugins: Object.freeze(plugins) };
}

/** Returns the sum of two usages, frozen, without optional counts that are 0. */
export function addUsage(a: Usage, b: Usage): Usage {
  return Object.freeze(added(a, b));
}

function added(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {
    input: a.input + b.input,
    output: a.output + b.output,
    total: a.total + b.total,
  };
  for (const key of ['cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning'] as const) {
    const value = (a[key] ?? 0) + (b[key] ?? 0);
    if (value > 0) sum[key] = value;
  }
  return sum;
}

/** Returns the sum of the usage of two runs. */
export function sumUsage(a: RunUsage, b: RunUsage): RunUsage {
  const unreported = (a.unreported ?? 0) + (b.unreported ?? 0);
  const sum = {
    ...addUsage(a, b),
    modelCalls: a.modelCalls + b.modelCalls,
    ...(unreported === 0 ? {} : { unreported }),
    ...(a.cost === undefined && b.cost === undefined ? {} : { cost: (a.cost ?? 0) + (b.cost ?? 0) }),
    ...((a.unpriced ?? b.unpriced) === undefined ? {} : { unpriced: (a.unpriced ?? 0) + (b.unpriced ?? 0) }),
  };
  if (a.plugins === undefined && b.plugins === undefined) return sum;
  const plugins: Record<string, Usage> = { ...a.plugins };
  for (const [plugin, usage] of Object.entries(b.plugins ?? {})) {
    const known = plugins[plugin];
    plugins[plugin] = known === undefined ? usage : addUsage(known, usage);
  }
  return { ...sum, plugins };
}

/** Token counts. `input` includes tokens read from or written to a cache, `output` includes reasoning. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly total: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** The part of `cacheWrite` that is kept for an hour. */
  readonly cacheWrite1h?: number;
  readonly reasoning?: number;
}
