import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunInfo } from '../run-info.ts';

/** The report of a plugin that limits the time of runs. */
export interface TimeLimit {
  /** Returns the milliseconds left to a run; 0 or less if none. */
  readonly left: (run: RunInfo) => number;
}

const timeLimitPrefix = 'shallot/time-limit/';

/** Returns the key for a plugin's time limit, by the plugin's id. `ReadyAgent.timeLeft` queries all of them. */
export function timeLimitKey(plugin: string): ServiceKey<TimeLimit> {
  return serviceKey(`${timeLimitPrefix}${plugin}`);
}

/** Returns true for a service that is provided under a `timeLimitKey`. */
export function isTimeLimit(name: string, _service: unknown): _service is TimeLimit {
  return name.startsWith(timeLimitPrefix);
}
