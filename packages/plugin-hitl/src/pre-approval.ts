import { ShallotError, type ToolCall } from '@shallot/core';
import { preApprovalsKey, type PluginSetup, type ToolScope } from '@shallot/core/plugin';

import type { OnceForCall } from './once-for-call.ts';
import type { Policy } from './options.ts';

type TrustedPlugins = Pick<Policy, 'preApprovals'>;

type Use = PluginSetup['use'];

/** Checks that the plugins in `preApprovals` exist. @throws `hitl/NO_PRE_APPROVALS` */
export function checkPreApprovals(
  { preApprovals }: TrustedPlugins,
  { use, locateOption }: Pick<PluginSetup, 'use' | 'locateOption'>,
): void {
  const missing = preApprovals.filter((plugin) => use(preApprovalsKey(plugin)) === undefined);
  if (missing.length === 0) return;
  throw new ShallotError('hitl/NO_PRE_APPROVALS', {
    message: `preApprovals names ${missing.join(', ')}, but no plugin with that id provides pre-approvals. Add the plugin, or remove it from preApprovals.`,
    ...(locateOption && { at: locateOption(['preApprovals', preApprovals.indexOf(missing[0] ?? '')]) }),
  });
}

/**
 * Returns the reason that a trusted plugin gives for executing a call without approval; undefined if no plugin gives one. The result
 * is stored with `once`, so that a plugin that changes its answer cannot approve a call that a person was already asked about. A
 * plugin that throws, times out, or returns anything but a non-empty string does not approve the call.
 */
export async function whyPreApproved(
  { preApprovals }: TrustedPlugins,
  use: Use,
  call: ToolCall,
  { run, output, inTime }: ToolScope,
  once: OnceForCall,
): Promise<string | undefined> {
  if (preApprovals.length === 0) return undefined;
  // If the schema changes the input, the executed input must be approved, too.
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
