import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunInfo } from '../run-info.ts';

/** The report of a plugin that shortens requests which a model refuses as too long. */
export interface Shortening {
  /**
   * Returns true if the plugin, when the refusal reaches it, will shorten the request of the run and pass it on again.
   * Returns false once it passes the request on for the last time.
   */
  readonly shortens: (run: RunInfo) => boolean;
}

const shorteningPrefix = 'shallot/shortening/';

/** Returns the key for a plugin's report, by the plugin's id. `ReadyAgent.shortens` asks all of them. */
export function shorteningKey(plugin: string): ServiceKey<Shortening> {
  return serviceKey(`${shorteningPrefix}${plugin}`);
}

/** Returns true for a service that is provided under a `shorteningKey`. */
export function isShortening(name: string, _service: unknown): _service is Shortening {
  return name.startsWith(shorteningPrefix);
}
