import { serviceKey, type ServiceKey } from '../plugin.ts';

/** A plugin's status report. */
export interface PluginStatus {
  /** Returns lines for people, such as the connected servers. */
  readonly lines: () => readonly string[];
}

/**
 * Returns the key for a plugin's status, by the plugin's id. `agent.plugins` contains its lines; `shallot inspect`
 * shows them.
 */
export function pluginStatusKey(plugin: string): ServiceKey<PluginStatus> {
  return serviceKey(`shallot/plugin-status/${plugin}`);
}
