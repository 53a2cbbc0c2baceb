import { textOf, type Message } from '@shallot/core';
import { toolCallsOf, type PluginState, type Run } from '@shallot/core/plugin';

import type { Hook } from '../hook.ts';
import { askOnce } from './ask-once.ts';
import type { HookRuns } from './hook-runs.ts';

/** The most steps that hooks of Stop may add to a run. */
const maxAgain = 3;

/** The number of steps that hooks have added to a run. */
export type AgainState = PluginState<{ readonly times: number }>;

/** Passes an answer without tool calls to a hook of Stop or SubagentStop, which may make the run continue. */
export async function stopWithHook(
  hook: Hook,
  { message }: { readonly message: Message },
  run: Run,
  { runs, again }: { readonly runs: HookRuns; readonly again: AgainState },
): Promise<void> {
  if (toolCallsOf(message).length > 0) return;
  const { times } = again.get(run);
  const fields = { stop_hook_active: times > 0, last_assistant_message: textOf(message) };
  const said = await askOnce(hook, run, () => runs.call(hook, fields, run, run.signal, [message]));
  if (said?.blocks === undefined || said.ends !== undefined) return;
  if (times >= maxAgain) {
    run.warn(
      'STOPPED_ANYWAY',
      `The hook ${hook.label} sends the run on for the ${times + 1}th time; it ends now.`,
    );
    return;
  }
  again.set(run, { times: times + 1 });
  run.again({ role: 'user', content: said.blocks, source: 'hooks' });
}
