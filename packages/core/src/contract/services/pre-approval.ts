import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunInfo } from '../run-info.ts';
import type { ToolCall } from '../tool.ts';

/**
 * Pre-approves tool calls. An approval plugin uses it only if its options name the plugin, and asks unless the result
 * is a string.
 */
export interface PreApprovals {
  /**
   * Returns the reason why the call is allowed, for people and logs; undefined if it is not. Without a run, a person asks
   * what would happen to the call: answer as far as possible.
   */
  readonly allows: (
    call: ToolCall,
    run: RunInfo | undefined,
  ) => string | undefined | Promise<string | undefined>;
}

/** Returns the key for a plugin's pre-approvals, by the plugin's id. */
export function preApprovalsKey(plugin: string): ServiceKey<PreApprovals> {
  return serviceKey(`shallot/pre-approvals/${plugin}`);
}
