import type { PluginInfo } from '@shallot/core';
import type { HookName, PlaceReason } from '@shallot/core/plugin';

import { formatPlace } from '../terminal/place.ts';
import type { OpenedAgent } from '../work/with-agent.ts';

/** What `shallot inspect` shows, and what `--json` prints. */
export interface Onion {
  readonly agent: string;
  /** The absolute path of the config file. */
  readonly config: string;
  /** The absolute path of the `.env` beside it that was read, if there is one. */
  readonly envFile?: string | undefined;
  readonly model: string;
  readonly tools: readonly string[];
  /** Outermost first. */
  readonly plugins: readonly PluginInfo[];
  /** Per hook, in the order in which they run on the way in. */
  readonly hooks: Readonly<Record<HookName, readonly Layer[]>>;
}

/** One tap of a plugin. */
export interface Layer {
  /** The plugin's id. */
  readonly plugin: string;
  readonly version?: string | undefined;
  /** The tap's own label. */
  readonly tap: string;
  readonly priority: number;
  readonly gate: boolean;
  /** Why it stands where it does. */
  readonly reason: PlaceReason;
  /** Whether model calls that plugins make for themselves pass it. */
  readonly internal: boolean;
  /** A package's name or a file's path. */
  readonly from: string;
  /** `file:line:column` of the config entry, if there is one. */
  readonly at?: string | undefined;
}

/** Reads off an agent what it is made of. */
export function describeOnion({ agent, path, envFile }: Omit<OpenedAgent, 'store'>): Onion {
  const { plugins } = agent;
  const layers = agent.layers();
  const describeHook = (hook: HookName): Layer[] =>
    layers[hook].map(({ plugin: id, name, priority, gate, reason, internal }) => {
      const plugin = plugins.find((one) => one.id === id);
      const at = plugin?.source.at;
      return {
        plugin: id,
        version: plugin?.version,
        tap: name,
        priority,
        gate,
        reason,
        internal,
        from: plugin?.source.from ?? '',
        at: at && formatPlace(at),
      };
    });
  return {
    agent: agent.name,
    config: path,
    envFile,
    model: agent.model.id,
    tools: agent.tools.list().map(({ name }) => name),
    plugins,
    hooks: {
      beforeAgent: describeHook('beforeAgent'),
      beforeModel: describeHook('beforeModel'),
      wrapModelCall: describeHook('wrapModelCall'),
      afterModel: describeHook('afterModel'),
      wrapToolCall: describeHook('wrapToolCall'),
      afterAgent: describeHook('afterAgent'),
    },
  };
}
