import type { Interrupt, Message } from '@shallot/core';
import type { FeedEvent } from '@shallot/server';

/** The end of a run, or its pause for an answer. */
export type RunEnd = Extract<FeedEvent, { readonly type: 'run-end' }>;

/** The state of a run for a reader who shows it. */
export interface RunState {
  /** The committed messages and results of the run. */
  readonly messages: readonly Message[];
  /** The text of the step in progress, which the next message replaces. */
  readonly text: string;
  /** The reasoning of the step in progress. */
  readonly reasoning: string;
  /** The open questions. */
  readonly interrupts: readonly Interrupt[];
  /** The last event of the run; undefined while it is in progress. */
  readonly end: RunEnd | undefined;
}

const noStep = { text: '', reasoning: '', interrupts: [], end: undefined } as const;

/** The state before all events. */
export const beforeRun: RunState = Object.freeze({ messages: [], ...noStep });

/** Returns the state after an event. Text that was taken back is removed. */
export function foldEvent(state: RunState, event: FeedEvent): RunState {
  switch (event.type) {
    case 'message':
    case 'tool-end':
      return { messages: [...state.messages, event.message], ...noStep };
    case 'restart':
      return { messages: state.messages, ...noStep };
    case 'reload':
      return beforeRun;
    case 'text-delta':
      return { ...state, text: state.text + event.text };
    case 'reasoning-delta':
      return { ...state, reasoning: state.reasoning + event.text };
    case 'interrupt':
      return { ...state, interrupts: [...state.interrupts, event.interrupt] };
    case 'run-end':
      return { ...state, end: event };
    default:
      return state;
  }
}
