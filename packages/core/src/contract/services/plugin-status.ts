import { serviceKey, type ServiceKey } from '../plugin.ts';

/** A plugin's status report. */
export interface PluginStatus {
  /** Returns lines for people, such as the connected servers. */
  readonly lines: () => readonly string[];
  /** Returns a sentence for each thing that its options leave open or permit, for `shallot doctor`. Default: none. */
  readonly notes?: () => readonly string[];
  /**
   * Waits for work that the start of the agent left in the background, such as connections, and rejects if it failed.
   * Default: there is none.
   */
  readonly settled?: () => Promise<void>;
}

const statusPrefix = 'shallot/plugin-status/';

/**
 * Returns the key for a plugin's status, by the plugin's id. `agent.plugins` contains its lines and notes; `shallot
 * inspect` shows the lines, and `agent.settled` waits for its `settled`.
 */
export function pluginStatusKey(plugin: string): ServiceKey<PluginStatus> {
  return serviceKey(`${statusPrefix}${plugin}`);
}

/** Returns true for a service that is provided under a `pluginStatusKey`. */
export function isPluginStatus(name: string, _service: unknown): _service is PluginStatus {
  return name.startsWith(statusPrefix);
}
