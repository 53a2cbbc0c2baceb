import type { RunInfo } from '@shallot/core';
import type { PermissionEvaluator, PermissionMode } from '@shallot/core/plugin';

/** The mode of the permissions, in the words of the format. */
export class Modes {
  readonly #permissions: () => Pick<PermissionEvaluator, 'modeIn' | 'modeOf'> | undefined;

  constructor(permissions: () => Pick<PermissionEvaluator, 'modeIn' | 'modeOf'> | undefined) {
    this.#permissions = permissions;
  }

  in(run: RunInfo): string {
    return inWords(this.#permissions()?.modeIn(run));
  }

  /**
   * Returns the mode that was chosen for the next run of a session, else the mode of the config, because no run has
   * read its session yet.
   */
  before(sessionId: string): string {
    return inWords(this.#permissions()?.modeOf(sessionId, undefined));
  }
}

function inWords(mode: PermissionMode = 'ask'): string {
  return ({ ask: 'default', edits: 'acceptEdits', 'read-only': 'plan' } as const)[mode];
}
