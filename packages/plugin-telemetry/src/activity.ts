import type { Interrupt, RunInfo, RunResult, Tool, ToolCall, ToolResult } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import type { ModelScope, TapInfo } from '@shallot/core/plugin';

import type { LayerChanges } from './changes.ts';

/**
 * What is seen of a run: a tree of activities, each with a beginning and an end. Spans, metrics, log lines and trace
 * files are all made from it. An activity holds what the run itself works with, not copies: whoever is shown one reads
 * from it what it needs, changes nothing, and keeps nothing of a run that has ended.
 */
export type Activity = RunActivity | StepActivity | ModelActivity | ToolActivity | LayerActivity;

interface ActivityBase {
  /** Counts the activities of a run, or of one resume of it, from 1, as they begin. */
  readonly id: number;
  /** What it is a part of; undefined for the run itself. */
  readonly parent: Activity | undefined;
  /** The root of its tree. */
  readonly run: RunActivity;
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  /** Undefined until it has ended. */
  readonly endedAt: number | undefined;
  /** What it failed with: whatever was thrown. Undefined when it did not fail; an interrupt is no failure. */
  readonly failure: unknown;
  /** Its OpenTelemetry span, while a tracer is registered: set before any sink after the spans is told of the beginning. */
  readonly span: SpanReference | undefined;
}

/** A run from its beginning to its end or to an interrupt, or a resume of one. The root. */
export interface RunActivity extends ActivityBase {
  readonly kind: 'run';
  /** The run as the plugin sees it: id, session, agent, step, usage, whether it is resumed. */
  readonly info: RunInfo;
  /** The span that this run went on from, when it is resumed and was traced before. */
  readonly continues: SpanReference | undefined;
  /** Set when it has ended, unless the framing itself failed. */
  readonly result: RunResult | undefined;
}

/**
 * One model call and the tool calls that it asked for. It begins before the `beforeModel` hooks, and ends when the next
 * step begins or the run ends.
 */
export interface StepActivity extends ActivityBase {
  readonly kind: 'step';
  readonly step: number;
}

/**
 * One call of a model, seen from right outside it: each retry and each fallback is one of its own. Its parent is the step,
 * the tool call that is being executed, or with insight the layer that called it.
 */
export interface ModelActivity extends ActivityBase {
  readonly kind: 'model';
  readonly step: number;
  /** Which call of this step and origin it is, from 1. */
  readonly attempt: number;
  /** As the innermost layer passed it on: what the model is asked. */
  readonly request: ModelRequest;
  /** Who asks, and what for, when it is a plugin's own call and not the agent's. */
  readonly origin: ModelScope['origin'];
  /** Whether the answer is streamed. */
  readonly streams: boolean;
  /** When the first chunk came, in milliseconds since the epoch. */
  readonly firstChunkAt: number | undefined;
  /** Whether older messages have been replaced by a summary in what the model is asked. */
  readonly compacted: boolean;
  readonly response: ModelResponse | undefined;
}

/** One tool call, around all layers and gates. One that waits for an answer ends as `interrupted`, and begins again. */
export interface ToolActivity extends ActivityBase {
  readonly kind: 'tool';
  readonly step: number;
  /** As the model asked for it. */
  readonly call: ToolCall;
  /** The tool, when the model's turn was seen that it was offered in. */
  readonly tool: Tool | undefined;
  /** The skill that is loaded, when that is what the call does. */
  readonly skill: string | undefined;
  /** `isError` and `denied` tell of calls that failed or were refused; `failure` is then what the tool threw, if it did. */
  readonly result: ToolResult | undefined;
  readonly interrupted: boolean;
}

/** With insight: one passage through one tap of another plugin. Layers of an onion are parts of the one around them. */
export interface LayerActivity extends ActivityBase {
  readonly kind: 'layer';
  readonly step: number;
  readonly tap: TapInfo;
  /** The time that it took itself, without what is further in, in milliseconds. Undefined until it has ended. */
  readonly ownMs: number | undefined;
  /** How often it called `next`: 0 when it answered by itself. Undefined for layers that have none. */
  readonly calls: number | undefined;
  /** What it made different. Undefined until it has ended, and when it changed nothing. */
  readonly changes: LayerChanges | undefined;
}

/** Something that happens at a moment of an activity. */
export type Note =
  /** Of a run: it ends with this question open. */
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  /** Of a model call: the first chunk of its answer is there. */
  | { readonly type: 'first-chunk' };

/** Names a span across processes: W3C trace context. */
export interface SpanReference {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** 1 when the trace is sampled. */
  readonly traceFlags: number;
}

/**
 * Makes something of what is seen: spans, lines, a file. It is called on the way of a run: it must be quick, and must not
 * wait. Whatever it throws is counted as a loss and said once; the run does not notice.
 */
export interface Sink {
  /** Names it where it is said that something was lost. */
  readonly name: string;
  /**
   * A run begins, or is resumed. Gives what shall be told of it, or undefined for nothing: when no sink wants a run,
   * nothing of it is observed. Told next is that the run has started.
   */
  observe(run: RunActivity): RunSink | undefined;
  /** The agent is closed: hands on what is still held back. It is not waited for longer than the agent waits for `onStop`. */
  close?(): void | Promise<void>;
}

/** What one sink is told of one run. All that has started also ends, before the run does; the run is last. */
export interface RunSink {
  started?(activity: Activity): void;
  /** `at` is when, in milliseconds since the epoch. */
  noted?(activity: Activity, note: Note, at: number): void;
  ended?(activity: Activity): void;
  /** Runs `work` with the activity in its context, and returns what that gives. For runs, model calls and tool calls. */
  within?<T>(activity: Activity, work: () => T): T;
}
