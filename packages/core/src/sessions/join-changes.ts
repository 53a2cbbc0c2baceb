import type { SessionChange } from '../contract/store.ts';
import type { LiveChange } from './journal-change.ts';

/** A change that others can be joined to. */
export type MutableChange = { -readonly [K in keyof LiveChange]: LiveChange[K] };

/** Whether a change can go out together with an earlier one: a replacement counts from the messages as they are before both. */
export function mayJoin(waiting: LiveChange, change: LiveChange): boolean {
  return change.replace === undefined || (waiting.append === undefined && waiting.replace === undefined);
}

/** Makes one change of an earlier and a later one. The earlier one is given away. */
export function join(waiting: MutableChange, change: LiveChange): void {
  const { append, replace, journal, state, run, claim } = change;
  if (append !== undefined) waiting.append = [...(waiting.append ?? []), ...append];
  if (replace !== undefined) waiting.replace = replace;
  if (journal !== undefined)
    waiting.journal = waiting.journal === undefined ? journal : [...waiting.journal, ...journal];
  if (state !== undefined) waiting.state = joinState(waiting.state, state);
  if (run !== undefined) waiting.run = run;
  if (claim !== undefined) waiting.claim = claim;
}

type StateChange = NonNullable<SessionChange['state']>;

function joinState(waiting: StateChange = {}, state: StateChange): StateChange {
  const joined = { ...waiting };
  for (const plugin of Object.keys(state)) joined[plugin] = { ...joined[plugin], ...state[plugin] };
  return joined;
}
