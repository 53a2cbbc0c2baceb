import type { Run } from '@shallot/core/plugin';

import type { Outcome } from '../calling/outcome.ts';
import type { Hook } from '../hook.ts';
import { hookFailure } from './hook-failure.ts';
import { readSaid, showMessage, warnOfFailure, type Said } from './said.ts';

/**
 * Calls a hook at most once per step, even if the run is resumed. Returns undefined for a hook that failed and is passed
 * over. @throws `hooks/HOOK_FAILED`
 */
export async function askOnce(hook: Hook, run: Run, call: () => Promise<Outcome>): Promise<Said | undefined> {
  const outcome = await run.once(hook.label, call);
  if (outcome.is === 'failed') {
    if (hook.onFailure === 'stop') throw hookFailure(hook, outcome.reason);
    warnOfFailure(hook, outcome.reason, run);
    return undefined;
  }
  const said = readSaid(hook, outcome);
  showMessage(hook, said, run);
  return said;
}
