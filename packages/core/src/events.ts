import type { Interrupt } from './interrupt.ts';
import type { JsonValue } from './json.ts';
import type { AssistantMessage, ToolMessage } from './messages.ts';
import type { Chunk, FinishReason, Usage } from './model.ts';
import type { RunResult } from './result.ts';

/**
 * What `agent.stream` yields. A consumer that shows text adds up `text-delta` and drops what it has of the current
 * step at `restart`: it then always ends with what was stored.
 */
export type AgentEvent =
  | { readonly type: 'run-start'; readonly run: string; readonly session: string; readonly resumed: boolean }
  | { readonly type: 'step-start'; readonly step: number }
  | Chunk
  | {
      readonly type: 'message';
      readonly step: number;
      readonly message: AssistantMessage;
      readonly finish: FinishReason;
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
