import type { PluginInfo } from '@shallot/core';
import type { PlaceReason } from '@shallot/core/command';
import type { HookName } from '@shallot/core/plugin';

import { formatPlace } from '../terminal/place.ts';
import type { OpenedAgent } from '../work/with-agent.ts';
import { instructionParts, type InstructionPart } from './instruction-parts.ts';

/** The data shown by `shallot inspect`, and printed by `--json`. */
export interface Onion {
  readonly agent: string;
  /** The absolute path of the config file. */
  readonly config: string;
  /** The absolute path of the `.env` file beside it, if there is one. */
  readonly envFile?: string | undefined;
  readonly model: string;
  /** The parts of the config's instructions, in their order. */
  readonly instructions: readonly InstructionPart[];
  readonly tools: readonly string[];
  /** The plugins, outermost first. */
  readonly plugins: readonly PluginInfo[];
  /** The layers of each hook, in the order in which they run on the way in. */
  readonly hooks: Readonly<Record<HookName, readonly Layer[]>>;
}

/** A tap of a plugin. */
export interface Layer {
  /** The id of the plugin. */
  readonly plugin: string;
  readonly version?: string | undefined;
  /** The tap's own label. */
  readonly tap: string;
  readonly priority: number;
  readonly gate: boolean;
  /** The part that the tap is limited to: the input, or results. */
  readonly on?: 'input' | 'result' | undefined;
  /** The reason for its place. */
  readonly reason: PlaceReason;
  /** True if model calls of plugins pass through it. */
  readonly internal: boolean;
  /** The name of a package or the path of a file. */
  readonly from: string;
  /** `file:line:column` of the config entry, if there is one. */
  readonly at?: string | undefined;
}

/** Returns the parts of an agent. */
export function describeOnion({ agent, path, envFile, config }: Omit<OpenedAgent, 'store'>): Onion {
  const { plugins } = agent;
  const layers = agent.layers();
  const describeHook = (hook: HookName): Layer[] =>
    layers[hook].map(({ plugin: id, name, priority, gate, on, reason, internal }) => {
      const plugin = plugins.find((one) => one.id === id);
      const at = plugin?.source.at;
      return {
        plugin: id,
        version: plugin?.version,
        tap: name,
        priority,
        gate,
        on,
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
    instructions: instructionParts(config),
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
