import type { AgentEvent, ShallotError } from '@shallot/core';

import { oneLine } from '../terminal/printable.ts';

type Warning = Extract<AgentEvent, { type: 'warning' }>;

/** Prints each warning of a run once. */
export interface WarningNotes {
  /** Processes an event. */
  event(event: AgentEvent): void;
  /** Processes the errors of the run's result. */
  end(errors: readonly ShallotError[]): void;
}

/** The result does not repeat this warning, so it is shown at once. */
const stillWaiting = 'STILL_WAITING';

/**
 * Returns the notes. An error in `afterAgent` is first reported by an event, and then by the result with its
 * location, so core warnings about a plugin are held until the next event or the result.
 */
export function warningNotes(
  say: (warning: string) => void,
  render: (error: ShallotError) => string,
): WarningNotes {
  let held: Warning[] = [];
  const told = new Set<string>();
  const tell = ({ plugin, code, message }: Warning): void => {
    told.add(message);
    say(`${plugin === undefined ? '' : `[${plugin}] `}${code}: ${oneLine(message, 500)}`);
  };
  const release = (errors: readonly ShallotError[]): void => {
    for (const warning of held) {
      if (!errors.some(({ message }) => message === warning.message)) tell(warning);
    }
    held = [];
  };
  return {
    event(event) {
      if (event.type === 'warning') {
        const isOfCore = event.plugin !== undefined && !event.code.includes('/');
        if (isOfCore && event.code !== stillWaiting) held.push(event);
        else tell(event);
      } else if (
        event.type !== 'run-end' ||
        event.result.outcome === 'failed' ||
        event.result.outcome === 'aborted'
      ) {
        // A failed run shows no result that would repeat the warnings.
        release([]);
      }
    },
    end(errors) {
      release(errors);
      for (const error of errors) if (!told.has(error.message)) say(render(error));
    },
  };
}
