import type { AgentEvent } from '../contract/events.ts';
import type { Interrupt } from '../contract/interrupt.ts';
import type { Message, ToolMessage } from '../contract/messages.ts';
import type { FinishReason } from '../contract/model.ts';
import type { Outcome, StopReason } from '../contract/result.ts';
import type { RunFailure } from '../contract/store.ts';
import type { RunUsage } from '../contract/usage.ts';

/** An event derived from a run's record. */
export type FollowedEvent =
  | { readonly type: 'message'; readonly message: Exclude<Message, ToolMessage> }
  | { readonly type: 'tool-end'; readonly message: ToolMessage }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  /** An event of the step in progress, from `submitRun` with `stream`. `restart` discards those before it. */
  | { readonly type: 'live'; readonly event: AgentEvent }
  /**
   * Messages that the follower has received were replaced, for example by a summary. The whole run follows, from its
   * beginning.
   */
  | { readonly type: 'reload' }
  | {
      readonly type: 'run-end';
      readonly runId: string;
      /** The number of steps begun. */
      readonly steps?: number;
      readonly usage?: RunUsage;
      /** The model's finish reason, if the answer is a model's. */
      readonly finish?: FinishReason;
      /** Undefined if another run has begun in the session before this one was seen to end. */
      readonly outcome: Outcome | undefined;
      readonly stopReason?: StopReason;
      readonly failure?: RunFailure;
    };

/** An event of a run, or of one of its child runs. */
export type FollowedTreeEvent =
  | FollowedEvent
  | {
      readonly type: 'child';
      /** The call that began the child. */
      readonly callId: string;
      readonly sessionId: string;
      /** The name of its agent. */
      readonly agent: string;
      readonly event: FollowedTreeEvent;
    };
