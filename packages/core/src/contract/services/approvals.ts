import { serviceKey, type ServiceKey } from '../plugin.ts';

/** The policy of an approval plugin, provided under `approvalsKey`. */
export interface Approvals {
  /** Returns true if it asks about calls of a tool, or denies them, always or under a condition. */
  readonly asksAbout: (tool: string) => boolean;
}

const approvalsPrefix = 'shallot/approvals/';

/** Returns the key for an approval plugin's policy, by the plugin's id. `agent.askedBy` queries all of them. */
export function approvalsKey(plugin: string): ServiceKey<Approvals> {
  return serviceKey(`${approvalsPrefix}${plugin}`);
}

/** Returns true for a service that is provided under an `approvalsKey`. */
export function isApprovals(name: string, _service: unknown): _service is Approvals {
  return name.startsWith(approvalsPrefix);
}
