import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { CallMatcher } from './call-matcher.ts';

const prefix = 'shallot/call-matcher/';

/** Returns the key for a plugin's matcher, by the plugin's id. `ReadyAgent.matchers` lists all of them. */
export function callMatcherKey(plugin: string): ServiceKey<CallMatcher> {
  return serviceKey(`${prefix}${plugin}`);
}

/** Returns true for a service that is provided under a `callMatcherKey`. */
export function isCallMatcher(name: string, _service: unknown): _service is CallMatcher {
  return name.startsWith(prefix);
}
