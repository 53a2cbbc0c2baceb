import { ShallotError, type ToolCall } from '@shallot/core';
import { preApprovalsKey, type PluginSetup, type ToolScope } from '@shallot/core/plugin';

import type { OnceForCall } from './once-for-call.ts';
import type { Policy } from './options.ts';

type Use = PluginSetup['use'];

/** Checks that the plugins are there whose pre-approvals are to count. @throws `hitl/NO_PRE_APPROVALS` */
export function checkPreApprovals({ preApprovals }: Policy, use: Use): void {
  const missing = preApprovals.filter((plugin) => use(preApprovalsKey(plugin)) === undefined);
  if (missing.length === 0) return;
  throw new ShallotError('hitl/NO_PRE_APPROVALS', {
    message: `preApprovals names ${missing.join(', ')}, but no plugin with that id provides pre-approvals. Add the plugin, or remove it from preApprovals.`,
  });
}

/**
 * Why a call needs no approval, in the words of one of the plugins that are trusted to say so. What came out is committed:
 * a call that a person was asked about is never executed because a plugin has changed its mind meanwhile. A plugin that
 * throws, takes too long, or gives anything but a text, has allowed nothing.
 */
export async function whyPreApproved(
  { preApprovals }: Policy,
  use: Use,
  call: ToolCall,
  { run, output, inTime }: ToolScope,
  once: OnceForCall,
): Promise<string | undefined> {
  if (preApprovals.length === 0) return undefined;
  // What is executed has to be allowed, and not only what it was made of.
  const executed = output === undefined ? undefined : { ...call, input: output.value };
  const isOdd = output?.notJson !== undefined;
  const why = await once('pre-approved', async () => {
    for (const plugin of preApprovals) {
      try {
        const preApprovals = use(preApprovalsKey(plugin));
        const allows = (each: ToolCall): Promise<unknown> =>
          inTime(`the pre-approvals of ${plugin}`, () => preApprovals?.allows(each, run));
        const because = isOdd ? undefined : await allows(call);
        if (!isReason(because) || (executed !== undefined && !isReason(await allows(executed)))) continue;
        run.event('pre-approved', { callId: call.id, tool: call.name, by: plugin, because });
        return because;
      } catch (error) {
        run.log.error({ err: error, plugin, callId: call.id }, 'a pre-approval could not be looked up');
      }
    }
    return null;
  });
  return why ?? undefined;
}

function isReason(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
