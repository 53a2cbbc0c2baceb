import { hookNames, type HookName } from '../base/hook-names.ts';
import type { JsonValue } from '../base/json.ts';
import type { CompleteResponse, TapInfo } from '../contract/hooks.ts';
import type { Chunk, ModelRequest, ModelResponse } from '../contract/model.ts';
import { defaultPriority, priorityFor, type Priority } from '../contract/priority.ts';
import type { RunResult } from '../contract/result.ts';
import type { RunInfo } from '../contract/run-info.ts';
import type { ToolCall, ToolResult } from '../contract/tool.ts';
import { LiveTap, type TapRegistration } from './live-tap.ts';
import { composeOnion, OnionHook, type OnionSnapshot } from './onion-hook.ts';
import { sortOutsideIn, type Placed } from './order.ts';
import type { Owner } from './owner.ts';
import { PipelineHook, type PipelineSnapshot } from './pipeline-hook.ts';
import type { LiveInterceptor, InterceptorRegistration } from './watcher.ts';

export type Surround = <T>(run: RunInfo, next: () => Promise<T>) => Promise<T>;

/** What the chains are made of: a plugin's place, and what it registered. */
export interface PluginTaps {
  readonly owner: Owner;
  readonly priority: Priority | undefined;
  readonly outside: readonly string[];
  readonly inside: readonly string[];
  readonly taps: readonly TapRegistration[];
  readonly interceptors: readonly InterceptorRegistration[];
  readonly surrounds: readonly Surround[];
}

type ModelOnion = OnionSnapshot<ModelRequest, ModelResponse, Chunk>;

/** The six hooks as a run calls them: composed when plugins change, and never changed afterwards. */
export interface Chains {
  readonly beforeAgent: PipelineSnapshot<undefined>;
  readonly beforeModel: PipelineSnapshot<ModelRequest>;
  readonly wrapModelCall: ModelOnion;
  readonly afterModel: PipelineSnapshot<CompleteResponse>;
  readonly wrapToolCall: OnionSnapshot<ToolCall, ToolResult, JsonValue>;
  readonly afterAgent: PipelineSnapshot<RunResult>;
  /** The layers that a plugin's own model calls pass: the internal ones, that plugin's excepted. */
  internalFor(plugin: string): ModelOnion;
  /** Outermost first. */
  readonly surrounds: readonly { readonly owner: Owner; readonly surround: Surround }[];
  /** Each hook's taps, in the order of execution. */
  readonly layers: Readonly<Record<HookName, readonly TapInfo[]>>;
}

/** Composes the hooks of some plugins, in the order of the config. @throws `ORDER_CYCLE` */
export function composeChains(plugins: readonly PluginTaps[]): Chains {
  const ordered = (hook: HookName): LiveTap[] => placeTaps(hook, plugins);
  const listeners = (hook: HookName): LiveInterceptor[] =>
    plugins.flatMap(({ owner, interceptors }) =>
      interceptors.filter((each) => each.hook === hook).map(({ interceptor }) => ({ owner, interceptor })),
    );
  const pipeline = <V>(hook: HookName): PipelineSnapshot<V> =>
    new PipelineHook<V>(hook, ordered(hook), listeners(hook)).snapshot();
  const onion = <Request, Response, C>(hook: HookName): OnionSnapshot<Request, Response, C> =>
    new OnionHook<Request, Response, C>(hook, ordered(hook), listeners(hook)).snapshot();

  const hooks = {
    beforeAgent: pipeline<undefined>('beforeAgent'),
    beforeModel: pipeline<ModelRequest>('beforeModel'),
    wrapModelCall: onion<ModelRequest, ModelResponse, Chunk>('wrapModelCall'),
    afterModel: pipeline<CompleteResponse>('afterModel'),
    wrapToolCall: onion<ToolCall, ToolResult, JsonValue>('wrapToolCall'),
    afterAgent: pipeline<RunResult>('afterAgent'),
  };
  let internal: Map<string, ModelOnion> | undefined;
  const layersOf = (hook: HookName): TapInfo[] => {
    const { taps, gates = [] }: { taps: readonly LiveTap[]; gates?: readonly LiveTap[] } = hooks[hook];
    return [...taps, ...gates].map((tap) => tap.info);
  };
  return {
    ...hooks,
    internalFor(plugin) {
      internal ??= new Map();
      const known = internal.get(plugin);
      if (known !== undefined) return known;
      const taps = hooks.wrapModelCall.taps.filter(
        ({ registration, owner }) => registration.internal && owner.id !== plugin,
      );
      const composed: ModelOnion = composeOnion(taps, hooks.wrapModelCall.watch);
      internal.set(plugin, composed);
      return composed;
    },
    surrounds: sortPlugins(plugins).flatMap(({ owner, surrounds }) =>
      surrounds.map((surround) => ({ owner, surround })),
    ),
    get layers() {
      const entries = hookNames.map((hook) => [hook, Object.freeze(layersOf(hook))] as const);
      // Every hook name is a key.
      return Object.freeze(Object.fromEntries(entries)) as Chains['layers'];
    },
  };
}

/** The plugins in the order that they start and are listed in: by their default priority. @throws `ORDER_CYCLE` */
export function sortPlugins<T extends PluginTaps>(plugins: readonly T[]): T[] {
  const placed = plugins.map((plugin, index) => ({
    plugin: plugin.owner,
    priority: defaultOf(plugin.priority),
    listed: index,
    outside: plugin.outside,
    inside: plugin.inside,
    what: plugin,
  }));
  return sortOutsideIn(placed).map(({ what }) => what);
}

function defaultOf(priority: Priority | undefined): number {
  return priorityFor(
    typeof priority === 'object' ? { default: priority.default ?? defaultPriority } : priority,
    'beforeAgent',
  );
}

interface PlacedTap extends Placed {
  readonly owner: Owner;
  readonly registration: TapRegistration;
  readonly count: number;
}

const insideOut: ReadonlySet<HookName> = new Set(['afterModel', 'afterAgent']);

function placeTaps(hook: HookName, plugins: readonly PluginTaps[]): LiveTap[] {
  const placed = plugins.flatMap((plugin, index) => placedTaps(hook, plugin, index));
  // Gates are inside every other layer, so each kind is put in order by itself: an edge never crosses between them.
  const layers = sortOutsideIn(placed.filter((tap) => !tap.registration.gate));
  const gates = sortOutsideIn(placed.filter((tap) => tap.registration.gate));
  const outsideIn = [...layers, ...gates];
  const inOrder = insideOut.has(hook) ? outsideIn.toReversed() : outsideIn;
  return inOrder.map(
    ({ owner, registration, priority, count }, stage) =>
      new LiveTap(owner, registration, priority, stage, count),
  );
}

function placedTaps(hook: HookName, plugin: PluginTaps, index: number): PlacedTap[] {
  const labels = new Map<string, number>();
  return plugin.taps
    .filter((tap) => tap.hook === hook)
    .map((registration, position, all) => {
      const count = (labels.get(registration.name) ?? 0) + 1;
      labels.set(registration.name, count);
      return {
        plugin: plugin.owner,
        owner: plugin.owner,
        priority: registration.priority ?? priorityFor(plugin.priority, hook),
        // A plugin's own taps stay together, the first one outermost.
        listed: index + position / (all.length + 1),
        outside: plugin.outside,
        inside: plugin.inside,
        registration,
        count,
      };
    });
}
