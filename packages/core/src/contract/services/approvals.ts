import { serviceKey, type ServiceKey } from '../plugin.ts';

/** What an approval plugin tells of its policy, under `approvalsKey`. */
export interface Approvals {
  /** Whether it asks about calls of a tool, or denies them: all of them, or those that a condition picks. */
  readonly asksAbout: (tool: string) => boolean;
}

const approvalsPrefix = 'shallot/approvals/';

/** The key of what an approval plugin tells of its policy, by the plugin's id. `agent.askedBy` asks all of them. */
export function approvalsKey(plugin: string): ServiceKey<Approvals> {
  return serviceKey(`${approvalsPrefix}${plugin}`);
}

/** Whether a service was provided under such a key. */
export function isApprovals(name: string, _service: unknown): _service is Approvals {
  return name.startsWith(approvalsPrefix);
}
