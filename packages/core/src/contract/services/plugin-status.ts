import { serviceKey, type ServiceKey } from '../plugin.ts';

/** What a plugin reports about itself, as it is now. */
export interface PluginStatus {
  /** Lines for people: the servers that it is connected to, for instance. */
  readonly lines: () => readonly string[];
}

/** The key of the status that a plugin provides, by its id. `agent.plugins` lists its lines; `shallot inspect` shows them. */
export function pluginStatusKey(plugin: string): ServiceKey<PluginStatus> {
  return serviceKey(`shallot/plugin-status/${plugin}`);
}
