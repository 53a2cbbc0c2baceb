import type { CallAddress } from '../base/address.ts';
import type { JsonValue } from '../base/json.ts';
import type { Interrupt } from './interrupt.ts';
import type { AssistantMessage, Message, ToolMessage } from './messages.ts';
import type { Chunk, FinishReason } from './model.ts';
import type { RunResult } from './result.ts';
import type { ToolDisplay } from './tool-display.ts';
import type { Usage } from './usage.ts';

/**
 * An item of `agent.stream`. To show text, concatenate the `text-delta` events. At `restart`, discard the text since the
 * start of the step or the last `message`, whichever is later; `message` makes the text before it final. At the end of a
 * completed run, the text then ends with the answer: a stored message, or a tool result that is returned directly.
 */
export type AgentEvent =
  | {
      readonly type: 'run-start';
      readonly runId: string;
      readonly sessionId: string;
      readonly resumed: boolean;
    }
  | { readonly type: 'step-start'; readonly step: number }
  /** A message that was sent to the run has become part of the session. */
  | { readonly type: 'message-taken'; readonly step: number; readonly message: Message }
  | Chunk
  | {
      readonly type: 'message';
      readonly step: number;
      readonly message: AssistantMessage;
      /** Undefined if no model call made the message: it is the answer that a hook gave to `end`. */
      readonly finish?: FinishReason;
      readonly usage?: Usage;
    }
  | ({
      readonly type: 'tool-start';
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly input: JsonValue;
      /**
       * True if the run was resumed in this step: the earlier stream already contained the call, unless its process
       * died.
       */
      readonly resumed?: true;
    } & Partial<ToolDisplay>)
  | {
      readonly type: 'tool-progress';
      readonly step: number;
      readonly callId: string;
      readonly data: JsonValue;
    }
  | { readonly type: 'tool-end'; readonly step: number; readonly message: ToolMessage }
  | {
      /**
       * An event of a child run. Consumers that ignore these events see only a tool call, with the questions of the child
       * as its own.
       */
      readonly type: 'child';
      /** The call that began the child. */
      readonly callId: string;
      readonly sessionId: string;
      readonly agent: string;
      /** The place of that call in the tree of runs. */
      readonly address: CallAddress;
      readonly event: AgentEvent;
    }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  | { readonly type: 'plugin'; readonly plugin: string; readonly name: string; readonly data: JsonValue }
  | {
      readonly type: 'warning';
      readonly code: string;
      readonly message: string;
      readonly plugin?: string;
    }
  | { readonly type: 'run-end'; readonly result: RunResult };
