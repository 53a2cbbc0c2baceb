import { serviceKey, type ServiceKey } from './plugin.ts';
import type { RunInfo } from './run-info.ts';
import type { ToolCall } from './tool.ts';

/**
 * Tells which tool calls need no approval, in the eyes of the plugin that provides it. It is a wish: an approval plugin
 * heeds it only where it was told to by name, and asks whenever the answer is anything but a text.
 */
export interface PreApprovals {
  /** What allows the call, for people and logs; undefined when nothing does. */
  readonly allows: (call: ToolCall, run: RunInfo) => string | undefined | Promise<string | undefined>;
}

/** The key of the pre-approvals that a plugin provides, by the plugin's id. */
export function preApprovalsKey(plugin: string): ServiceKey<PreApprovals> {
  return serviceKey(`shallot/pre-approvals/${plugin}`);
}
