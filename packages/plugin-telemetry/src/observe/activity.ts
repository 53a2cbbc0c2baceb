import type { Interrupt, RunInfo, RunResult, Tool, ToolCall, ToolResult } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import type { ModelScope, TapInfo } from '@shallot/core/plugin';

import type { LayerChanges } from './changes.ts';

/**
 * A node in the tree of activities of a run, each with a start and an end. Spans, metrics, log lines and trace files
 * are made from these activities. An activity refers to the run's own objects, not to copies: a sink must not change
 * them, or keep any after the run has ended.
 */
export type Activity = RunActivity | StepActivity | ModelActivity | ToolActivity | LayerActivity;

interface ActivityBase {
  /** Number of the activity within a run, or within one resumption of it, from 1 in order of start. */
  readonly id: number;
  /** Parent activity; undefined for the run itself. */
  readonly parent: Activity | undefined;
  /** Root of the tree. */
  readonly run: RunActivity;
  /** Start time in milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  /** End time, in the same unit; undefined until it has ended. */
  readonly endedAt: number | undefined;
  /** The value thrown; undefined if the activity did not fail. An interrupt is not a failure. */
  readonly failure: unknown;
  /** Its OpenTelemetry span, if a tracer is registered. Set before any sink after the span sink sees the start. */
  readonly span: SpanReference | undefined;
}

/** A run, or one resumption of it, up to its end or an interrupt. The root of the tree. */
export interface RunActivity extends ActivityBase {
  readonly kind: 'run';
  /** The run as the plugin sees it: id, session, agent, step, usage, and the resumed flag. */
  readonly info: RunInfo;
  /** Span that a resumed run continues from, if it was traced before. */
  readonly continues: SpanReference | undefined;
  /** Result of the run, once it has ended; undefined if `aroundRun` itself failed. */
  readonly result: RunResult | undefined;
}

/**
 * One model call and the tool calls that it requests. It begins before the `beforeModel` hooks, and ends when the next
 * step begins or the run ends.
 */
export interface StepActivity extends ActivityBase {
  readonly kind: 'step';
  readonly step: number;
}

/**
 * One model call, observed from directly outside the model: each retry and each fallback is a separate activity. Its
 * parent is the step, the tool call that is being executed, or with insight the layer that called it.
 */
export interface ModelActivity extends ActivityBase {
  readonly kind: 'model';
  readonly step: number;
  /** Number of the call within its step and origin, from 1. */
  readonly attempt: number;
  /** The request as the innermost layer passed it to the model. */
  readonly request: ModelRequest;
  /** Plugin and purpose of a plugin's own call; undefined for the agent's. */
  readonly origin: ModelScope['origin'];
  /** True if the response is streamed. */
  readonly streams: boolean;
  /** Arrival of the first chunk, in milliseconds since the epoch. */
  readonly firstChunkAt: number | undefined;
  /** True if a summary replaces older messages in the request. */
  readonly compacted: boolean;
  readonly response: ModelResponse | undefined;
}

/**
 * One tool call, including all layers and gates. A call that waits for an answer ends as `interrupted`, and begins
 * again on resumption.
 */
export interface ToolActivity extends ActivityBase {
  readonly kind: 'tool';
  readonly step: number;
  /** The call as the model requested it. */
  readonly call: ToolCall;
  /** The tool, if the plugin observed the model turn that offered it. */
  readonly tool: Tool | undefined;
  /** Name of the skill that the call loads, if it loads one. */
  readonly skill: string | undefined;
  /**
   * Result of the call. `isError` and `denied` mark failed and refused calls; `failure` is then the error that the
   * tool threw, if any.
   */
  readonly result: ToolResult | undefined;
  readonly interrupted: boolean;
}

/**
 * One pass through one tap of another plugin, recorded with insight. A layer of an onion is a child of the layer
 * around it.
 */
export interface LayerActivity extends ActivityBase {
  readonly kind: 'layer';
  readonly step: number;
  readonly tap: TapInfo;
  /** Milliseconds that the layer itself took, without the layers inside it. Undefined until it has ended. */
  readonly ownMs: number | undefined;
  /** Number of calls to `next`: 0 if it answered by itself. Undefined for layers that have no `next`. */
  readonly calls: number | undefined;
  /** Changes that it made. Undefined until it has ended, and if it changed nothing. */
  readonly changes: LayerChanges | undefined;
}

/** An event at a moment of an activity. */
export type Note =
  /** The run ends with this question open. */
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  /** The first chunk of a model call's response arrived. */
  | { readonly type: 'first-chunk' };

/** Identifies a span across processes, as in W3C Trace Context. */
export interface SpanReference {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** 1 when the trace is sampled. */
  readonly traceFlags: number;
}

/**
 * Turns activities into spans, lines or a file. Runs on the path of the agent's run: it must be fast and must not
 * wait. An error it throws, or a promise it returns that rejects, counts as a loss and is reported once; the run
 * continues.
 */
export interface Sink {
  /** Name in reports of losses. */
  readonly name: string;
  /**
   * Called when a run begins or is resumed. Returns a sink for that run, or undefined to ignore it; a run that every
   * sink ignores is not observed. The first call to the returned sink is `started` for the run.
   */
  observe(run: RunActivity): RunSink | undefined;
  /** Flushes anything held back when the agent closes, within the time that the agent allows for `onStop`. */
  close?(): void | Promise<void>;
}

/** Receives the activities of one run. Every activity that starts also ends before the run does; the run ends last. */
export interface RunSink {
  started?(activity: Activity): void;
  /** `at` is in milliseconds since the epoch. */
  noted?(activity: Activity, note: Note, at: number): void;
  ended?(activity: Activity): void;
  /** Called for each chunk of a streamed response. `at` is in milliseconds since the epoch. */
  chunk?(activity: ModelActivity, at: number): void;
  /**
   * Runs `work` with the activity in its context and returns its result. Called for runs, model calls and tool calls.
   */
  within?<T>(activity: Activity, work: () => T): T;
}
