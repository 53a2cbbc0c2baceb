import type { Plugin } from '@shallot/core';
import type { PluginSetup, PluginState } from '@shallot/core/plugin';

/** A declaration of state, as a plugin passes it to `state` of its set-up. */
export type StateSpec = Parameters<PluginSetup['state']>[0];

/** A state declared by a plugin. */
export interface ProbedState {
  readonly spec: StateSpec;
  readonly state: PluginState<unknown>;
}

/** Returns the plugin with its declarations recorded; `more` runs at the end of its `setup`. */
export function probePlugin(
  plugin: Plugin,
  onState: (probed: ProbedState) => void,
  more: (setup: PluginSetup) => void = () => {},
): Plugin {
  const setup = async (given: PluginSetup): Promise<void> => {
    const probedState: PluginSetup['state'] = (spec) => {
      const state = given.state(spec);
      // The suite stores only values that came from the plugin itself.
      onState({ spec, state: state as unknown as PluginState<unknown> });
      return state;
    };
    await plugin.definition.setup({ ...given, state: probedState });
    more(given);
  };
  return { ...plugin, definition: { ...plugin.definition, setup } };
}
