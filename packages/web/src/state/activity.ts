import type { RunStream } from '@shallot/client';
import type { AgentEvent, JsonValue } from '@shallot/core';

/** An event of a run, or of a child of this run. */
type RunEvent = AgentEvent | (RunStream extends AsyncIterable<infer E> ? E : never);

/** A tool call that a child has made. */
export interface ChildCall {
  readonly id: string;
  readonly name: string;
  readonly state: 'running' | 'done' | 'failed';
}

/** A run that a tool call began. */
export interface ChildActivity {
  readonly agent: string;
  /** The text of the child's step in progress, or of its last step. */
  readonly text: string;
  readonly calls: readonly ChildCall[];
  readonly isOver: boolean;
}

/** The data about a run in progress that no message contains. */
export interface Activity {
  readonly step: number;
  /** The name of the tool for which the model is writing the arguments. */
  readonly writing: string | undefined;
  /** The last progress of each call, by its id. */
  readonly progress: Readonly<Record<string, JsonValue>>;
  /** The children of each call, by the id of the call and the id of the child's session. */
  readonly children: Readonly<Record<string, Readonly<Record<string, ChildActivity>>>>;
  readonly warnings: readonly string[];
}

export const noActivity: Activity = Object.freeze({
  step: 0,
  writing: undefined,
  progress: {},
  children: {},
  warnings: [],
});

const noChild: Omit<ChildActivity, 'agent'> = { text: '', calls: [], isOver: false };

/** Returns the activity after an event. */
export function foldActivity(activity: Activity, event: RunEvent): Activity {
  switch (event.type) {
    case 'step-start':
      return { ...activity, step: event.step, writing: undefined };
    case 'tool-call-delta':
      return event.name === undefined ? activity : { ...activity, writing: event.name };
    case 'message':
    case 'restart':
    case 'run-end':
      return activity.writing === undefined ? activity : { ...activity, writing: undefined };
    case 'reload':
      return noActivity;
    case 'tool-progress':
      return { ...activity, progress: { ...activity.progress, [event.callId]: event.data } };
    case 'warning':
      return { ...activity, warnings: [...activity.warnings, event.message] };
    case 'child': {
      const { callId, sessionId, agent } = event;
      const ofCall = activity.children[callId] ?? {};
      const child = foldChild({ ...noChild, ...ofCall[sessionId], agent }, event.event);
      const children = { ...activity.children, [callId]: { ...ofCall, [sessionId]: child } };
      return { ...activity, children };
    }
    default:
      return activity;
  }
}

function foldChild(child: ChildActivity, event: AgentEvent): ChildActivity {
  switch (event.type) {
    case 'step-start':
    case 'restart':
      return { ...child, text: '' };
    case 'text-delta':
      return { ...child, text: child.text + event.text };
    case 'tool-start':
      return withCall(child, { id: event.callId, name: event.name, state: 'running' });
    case 'tool-end': {
      const { callId, name, isError, denied } = event.message;
      const isBad = isError === true || denied !== undefined;
      return withCall(child, { id: callId, name, state: isBad ? 'failed' : 'done' });
    }
    case 'run-end':
      return { ...child, isOver: true };
    default:
      return child;
  }
}

function withCall(child: ChildActivity, call: ChildCall): ChildActivity {
  return { ...child, calls: [...child.calls.filter(({ id }) => id !== call.id), call] };
}
