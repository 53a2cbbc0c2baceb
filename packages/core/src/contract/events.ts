import type { JsonValue } from '../base/json.ts';
import type { Interrupt } from './interrupt.ts';
import type { AssistantMessage, ToolMessage } from './messages.ts';
import type { Chunk, FinishReason } from './model.ts';
import type { RunResult } from './result.ts';
import type { Usage } from './usage.ts';

/**
 * What `agent.stream` yields. A consumer that shows text adds up `text-delta`. `restart` voids what came since the step
 * began or the last `message`; `message` closes what came before it. So it always ends with the answer: with what was
 * stored, or with the text of the tool's result that is the answer.
 */
export type AgentEvent =
  | {
      readonly type: 'run-start';
      readonly runId: string;
      readonly sessionId: string;
      readonly resumed: boolean;
    }
  | { readonly type: 'step-start'; readonly step: number }
  | Chunk
  | {
      readonly type: 'message';
      readonly step: number;
      readonly message: AssistantMessage;
      /** Absent when no model call made the message: the answer that a hook ended the run with. */
      readonly finish?: FinishReason;
      readonly usage?: Usage;
    }
  | {
      readonly type: 'tool-start';
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly input: JsonValue;
    }
  | {
      readonly type: 'tool-progress';
      readonly step: number;
      readonly callId: string;
      readonly data: JsonValue;
    }
  | { readonly type: 'tool-end'; readonly step: number; readonly message: ToolMessage }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  | { readonly type: 'plugin'; readonly plugin: string; readonly name: string; readonly data: JsonValue }
  | {
      readonly type: 'warning';
      readonly code: string;
      readonly message: string;
      readonly plugin?: string;
    }
  | { readonly type: 'run-end'; readonly result: RunResult };
