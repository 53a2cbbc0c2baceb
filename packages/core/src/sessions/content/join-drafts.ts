import type { SessionChange } from '../../contract/store.ts';
import type { ChangeDraft } from './change-draft.ts';

/** A change that later changes can be merged into. */
export type MutableDraft = { -readonly [K in keyof ChangeDraft]: ChangeDraft[K] };

/**
 * Returns true if a later change can be part of the same commit. A replacement cannot follow an append or another
 * replacement: its indexes refer to the messages after those.
 */
export function mayJoin(waiting: ChangeDraft, change: ChangeDraft): boolean {
  return change.replace === undefined || (waiting.append === undefined && waiting.replace === undefined);
}

/** Merges a later change into an earlier one, which is modified. */
export function join(waiting: MutableDraft, change: ChangeDraft): void {
  const { append, replace, journal, state, run, claim, about, taken } = change;
  if (append !== undefined) waiting.append = [...(waiting.append ?? []), ...append];
  if (replace !== undefined) waiting.replace = replace;
  if (journal !== undefined)
    waiting.journal = waiting.journal === undefined ? journal : [...waiting.journal, ...journal];
  if (state !== undefined) waiting.state = joinState(waiting.state, state);
  if (run !== undefined) waiting.run = run;
  if (claim !== undefined) waiting.claim = claim;
  if (about !== undefined) waiting.about = about;
  if (taken !== undefined) waiting.taken = [...(waiting.taken ?? []), ...taken];
}

type StateChange = NonNullable<SessionChange['state']>;

function joinState(waiting: StateChange = {}, state: StateChange): StateChange {
  const joined = { ...waiting };
  for (const plugin of Object.keys(state)) joined[plugin] = { ...joined[plugin], ...state[plugin] };
  return joined;
}
