import { serviceKey, type ServiceKey } from './plugin.ts';

/** What a plugin reports about itself, as it is now. */
export interface PluginStatus {
  /** Lines for people: the servers that it is connected to, for instance. */
  readonly lines: () => readonly string[];
}

const prefix = 'shallot/plugin-status/';

/** The key of the status that a plugin provides, by its id. `agent.plugins` lists its lines; `shallot inspect` shows them. */
export function pluginStatusKey(plugin: string): ServiceKey<PluginStatus> {
  return serviceKey(`${prefix}${plugin}`);
}

/** Whether a service was provided under such a key. */
export function isPluginStatus(name: string, _service: unknown): _service is PluginStatus {
  return name.startsWith(prefix);
}
