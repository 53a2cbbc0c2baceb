import type { JsonObject } from '@shallot/core';
import type { Run } from '@shallot/core/plugin';

import type { Hook } from '../hook.ts';
import { askOnce } from './ask-once.ts';
import { contextMessage } from './context-message.ts';
import type { HookRuns } from './hook-runs.ts';

/** Calls a hook at the beginning of a session or of a child run. It may end the run, or add context to its input. */
export async function beginWithHook(hook: Hook, fields: JsonObject, run: Run, runs: HookRuns): Promise<void> {
  const said = await askOnce(hook, run, () => runs.call(hook, fields, run, run.signal));
  if (said === undefined) return;
  if (said.ends !== undefined) run.end(said.ends.reason);
  if (said.context !== undefined) run.setInput([contextMessage(said.context), ...run.newMessages]);
}
