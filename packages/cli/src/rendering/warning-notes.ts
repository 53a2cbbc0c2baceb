import type { AgentEvent, ShallotError } from '@shallot/core';

import { oneLine } from '../terminal/printable.ts';

type Warning = Extract<AgentEvent, { type: 'warning' }>;

/** Says each warning of a run once. */
export interface WarningNotes {
  /** Takes every event. */
  event(event: AgentEvent): void;
  /** The run has ended with these. */
  end(errors: readonly ShallotError[]): void;
}

/** Of what is still going on: no result says it. */
const stillWaiting = 'STILL_WAITING';

/**
 * What fails in an `afterAgent` is an event first, and then in the result, which knows its place, too. So what the core says of a
 * plugin waits for the next event, or for the result.
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
        // A result of a run that fails is not shown.
        release([]);
      }
    },
    end(errors) {
      release(errors);
      for (const error of errors) if (!told.has(error.message)) say(render(error));
    },
  };
}
