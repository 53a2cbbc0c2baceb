import type { Plugin, PluginSetup, PluginState, StateSpec } from '../../contract/plugin.ts';

/** A piece of state that a plugin has declared. */
export interface ProbedState {
  readonly spec: StateSpec<unknown>;
  readonly state: PluginState<unknown>;
}

/** The same plugin, which notes what it declares; `more` is done at the end of its set-up. */
export function probePlugin(
  plugin: Plugin,
  onState: (probed: ProbedState) => void,
  more: (setup: PluginSetup) => void = () => {},
): Plugin {
  const setup = async (given: PluginSetup): Promise<void> => {
    await plugin.definition.setup({
      ...given,
      state<T>(spec: StateSpec<T>) {
        const state = given.state(spec);
        // The suite puts nothing there but what came from the plugin itself.
        onState({ spec, state: state as unknown as PluginState<unknown> });
        return state;
      },
    });
    more(given);
  };
  return { ...plugin, definition: { ...plugin.definition, setup } };
}
