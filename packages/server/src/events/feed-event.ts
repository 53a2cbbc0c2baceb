import type { AgentEvent, Interrupt, Message } from '@shallot/core';
import type { FollowedEvent } from '@shallot/core/work';

/** Events of a step in progress, as the agent reports them. */
type StepEvent = Exclude<
  AgentEvent,
  { readonly type: 'message' | 'tool-end' | 'interrupt' | 'run-start' | 'run-end' | 'message-taken' }
>;

/**
 * An event of a run in the form in which clients get it. `message` and `tool-end` are committed; other events after
 * the last of these belong to the step in progress. `restart` discards the events of that step, and `reload` all
 * events of the run; events that are still valid are sent again.
 */
export type FeedEvent =
  | StepEvent
  | { readonly type: 'message'; readonly message: Exclude<Message, { readonly role: 'tool' }> }
  | { readonly type: 'tool-end'; readonly message: Extract<Message, { readonly role: 'tool' }> }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  | { readonly type: 'reload' }
  | Extract<FollowedEvent, { readonly type: 'run-end' }>;
