import type { AgentEvent } from '@shallot/core';

import type { Screen } from '../terminal/screen.ts';
import { planLines } from './plan-lines.ts';

/** The to-do list of a run. On a terminal it stays below the output, and remains there once the run is over. */
export interface PlanBoard {
  /** Shows the list of an event; returns false for any other event. */
  event(event: Extract<AgentEvent, { readonly type: 'plugin' }>): boolean;
  leave(): void;
}

/** Shows a to-do list on stderr. Without a terminal, it is printed each time that it changes. */
export function planBoard(screen: Screen): PlanBoard {
  let shown: readonly string[] = [];
  const leave = (): void => {
    screen.board([]);
    for (const line of shown) screen.note(line);
    shown = [];
  };
  return {
    event(event) {
      const lines = planLines(event, screen);
      if (lines === undefined) return false;
      shown = lines.map((line) => screen.redactor.text(line));
      if (screen.hasStatus) screen.board(shown);
      else leave();
      return true;
    },
    leave,
  };
}
