import { ShallotError } from '@shallot/core';

import type { Hook } from '../hook.ts';

/** Returns the error of a hook that must not fail. */
export function hookFailure(hook: Hook, reason: string): ShallotError {
  return new ShallotError('hooks/HOOK_FAILED', {
    message: `The hook ${hook.label} failed: ${reason}. Fix the hook, or let runs continue without it: onFailure: pass.`,
    plugin: 'hooks',
  });
}
