import type { JsonValue } from '../../base/json.ts';
import type { ToolCall } from '../../contract/tool.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { Sink } from '../../hooks/sink.ts';
import type { CheckedCall } from './check-call.ts';

/** A request of the layers to execute a tool call. */
export interface ExecutionRequest {
  readonly id: ExecutionId;
  readonly asked: ToolCall;
  readonly frame: Frame;
  readonly sink: Sink<JsonValue> | undefined;
}

/** One execution of a tool call. */
export interface Execution extends ExecutionRequest {
  readonly approved: CheckedCall;
}

/** Identifies an execution of a call. */
export interface ExecutionId {
  /** The key in the journal. */
  readonly key: string;
  /** The ordinal of the execution within the call. */
  readonly pass: number;
  /**
   * The ordinal without counting transient failures: a retry repeats them under the same number. It is part of the
   * idempotency key.
   */
  readonly ordinal: number;
}
