import { hookNames, type HookName } from '../base/hook-names.ts';
import type { JsonValue } from '../base/json.ts';
import type { CompleteResponse, LayerInfo } from '../contract/hooks.ts';
import type { Chunk, ModelRequest, ModelResponse } from '../contract/model.ts';
import { defaultPriority, priorityFor, type Priority } from '../contract/priority.ts';
import type { RunResult } from '../contract/result.ts';
import type { ToolCall, ToolResult } from '../contract/tool.ts';
import type { LiveTap } from './live-tap.ts';
import { composeOnion, OnionHook, type OnionSnapshot } from './onion-hook.ts';
import { sortOutsideIn } from './order.ts';
import type { Owner } from './owner.ts';
import { PipelineHook, type PipelineSnapshot } from './pipeline-hook.ts';
import { explainPlaces, placeTaps } from './place-taps.ts';
import type { PluginTaps, Surround } from './plugin-taps.ts';
import type { LiveInterceptor } from './watcher.ts';

type ModelOnion = OnionSnapshot<ModelRequest, ModelResponse, Chunk>;

/** The six hooks as a run calls them: composed when plugins change, then immutable. */
export interface Chains {
  /** Taps registered with `input: true`, outside in. */
  readonly inputs: readonly LiveTap[];
  readonly beforeAgent: PipelineSnapshot<undefined>;
  readonly beforeModel: PipelineSnapshot<ModelRequest>;
  readonly wrapModelCall: ModelOnion;
  readonly afterModel: PipelineSnapshot<CompleteResponse>;
  readonly wrapToolCall: OnionSnapshot<ToolCall, ToolResult, JsonValue>;
  /** Taps registered with `result: true`, inside out. */
  readonly results: readonly LiveTap[];
  readonly afterAgent: PipelineSnapshot<RunResult>;
  /** Returns the layers for a plugin's own model calls: those registered as internal, without that plugin's. */
  internalFor(plugin: string): ModelOnion;
  /**
   * Returns the hooks of a child run: the taps with `tree`, and all taps of these plugins. Composed once per list of
   * plugins.
   */
  forChildren(plugins: readonly string[]): Chains;
  /** The `aroundRun` functions, outermost first. */
  readonly surrounds: readonly { readonly owner: Owner; readonly surround: Surround }[];
  /** The taps of each hook in the order of execution, with the reasons for their places. */
  readonly layers: Readonly<Record<HookName, readonly LayerInfo[]>>;
}

/**
 * Composes the hooks of these plugins, which are listed in config order. The hooks of child runs are composed from `root`,
 * the plugins of the agent. @throws `ORDER_CYCLE`
 */
export function composeChains(all: readonly PluginTaps[], root = all): Chains {
  const plugins = root === all ? all.filter(({ onlyChildren }) => onlyChildren !== true) : all;
  const placed = (hook: HookName, on?: 'input' | 'result'): LiveTap[] =>
    placeTaps(hook, plugins).filter(({ registration }) => registration.on === on);
  const listeners = (hook: HookName): LiveInterceptor[] =>
    plugins.flatMap(({ owner, interceptors }) =>
      interceptors.filter((each) => each.hook === hook).map(({ interceptor }) => ({ owner, interceptor })),
    );
  const pipeline = <V>(hook: HookName): PipelineSnapshot<V> =>
    new PipelineHook<V>(hook, placed(hook), listeners(hook)).snapshot();
  const onion = <Request, Response, C>(hook: HookName): OnionSnapshot<Request, Response, C> =>
    new OnionHook<Request, Response, C>(hook, placed(hook), listeners(hook)).snapshot();

  const hooks = {
    beforeAgent: pipeline<undefined>('beforeAgent'),
    beforeModel: pipeline<ModelRequest>('beforeModel'),
    wrapModelCall: onion<ModelRequest, ModelResponse, Chunk>('wrapModelCall'),
    afterModel: pipeline<CompleteResponse>('afterModel'),
    wrapToolCall: onion<ToolCall, ToolResult, JsonValue>('wrapToolCall'),
    afterAgent: pipeline<RunResult>('afterAgent'),
  };
  let internal: Map<string, ModelOnion> | undefined;
  let children: Map<string, Chains> | undefined;
  return {
    ...hooks,
    inputs: placed('beforeAgent', 'input'),
    results: placed('wrapToolCall', 'result'),
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
    forChildren(listed) {
      children ??= new Map();
      const key = listed.toSorted().join(' ');
      const known = children.get(key);
      if (known !== undefined) return known;
      const composed = composeChains(
        root.flatMap((plugin) => inChildren(plugin, listed)),
        root,
      );
      children.set(key, composed);
      return composed;
    },
    surrounds: sortPlugins(plugins).flatMap(({ owner, surrounds }) =>
      surrounds.map((surround) => ({ owner, surround })),
    ),
    get layers() {
      const entries = hookNames.map((hook) => [hook, Object.freeze(explainPlaces(hook, plugins))] as const);
      // The keys are exactly the hook names.
      return Object.freeze(Object.fromEntries(entries)) as Chains['layers'];
    },
  };
}

/** Returns a plugin with the taps that surround child runs; an empty list if it is for other children alone. */
function inChildren(plugin: PluginTaps, listed: readonly string[]): PluginTaps | readonly PluginTaps[] {
  if (listed.includes(plugin.owner.id)) return plugin;
  if (plugin.onlyChildren === true) return [];
  const { owner, priority, outside, inside, entry, interceptors, surrounds } = plugin;
  const taps = plugin.taps.filter(({ tree }) => tree);
  return { owner, priority, outside, inside, entry, taps, interceptors, surrounds };
}

/** Returns the plugins in the order in which they start and are listed: by default priority. @throws `ORDER_CYCLE` */
export function sortPlugins<T extends PluginTaps>(plugins: readonly T[]): T[] {
  const placed = plugins.map((plugin) => ({
    plugin: plugin.owner,
    priority: defaultOf(plugin.priority),
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
