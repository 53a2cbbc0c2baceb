import type { AgentEvent, Interrupt, Message } from '@shallot/core';
import type { FollowedEvent } from '@shallot/core/work';

/** Events of a step in progress, as the agent reports them. */
type StepEvent = Exclude<
  AgentEvent,
  { readonly type: 'message' | 'tool-end' | 'interrupt' | 'run-start' | 'run-end' | 'message-taken' }
>;

/**
 * An event of a run as clients get it. `message` and `tool-end` are committed; the others since the last of them are of the
 * step in progress. `restart` discards those, and `reload` everything of the run: what still holds follows again.
 */
export type FeedEvent =
  | StepEvent
  | { readonly type: 'message'; readonly message: Exclude<Message, { readonly role: 'tool' }> }
  | { readonly type: 'tool-end'; readonly message: Extract<Message, { readonly role: 'tool' }> }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  | { readonly type: 'reload' }
  | Extract<FollowedEvent, { readonly type: 'run-end' }>;
