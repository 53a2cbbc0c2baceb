import type { JsonValue } from '@shallot/core';
import type { RunUsage, Usage } from '@shallot/core/model';

import type { SpanReference } from '../observe/activity.ts';
import type { LayerChanges } from '../observe/changes.ts';

/**
 * Version of the trace file format, which is lines of JSON. Readers skip unknown line types and members, which need no
 * new version.
 */
export const traceVersion = 1;

/**
 * A line of a trace file. `at` is in milliseconds since the epoch; `id` is unique within the part that a header
 * begins.
 */
export type TraceLine = TraceHeader | TraceStart | TraceNote | TraceEnd | TraceLost;

/** Header of a run's part of a file. A resumed run adds a part to the file that it began. */
export interface TraceHeader {
  readonly type: 'trace';
  readonly version: number;
  readonly runId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly resumed: boolean;
  /** For a run that a tool call of another run has begun: that run and the call. */
  readonly parent?: { readonly runId: string; readonly callId: string };
  readonly at: number;
}

/** Start of an activity. Its members depend on the kind. */
export interface TraceStart {
  readonly type: 'start';
  readonly id: number;
  /** The id of the activity around it; absent for the run. */
  readonly parent?: number;
  readonly kind: 'run' | 'step' | 'model' | 'tool' | 'layer';
  readonly at: number;
  /** Its OpenTelemetry span. */
  readonly span?: SpanReference;
  /** Agent of a run that a tool call has begun. */
  readonly agent?: string;
  readonly step?: number;
  /** Model id, attempt, origin and flags of a model call. */
  readonly model?: string;
  readonly attempt?: number;
  readonly origin?: { readonly plugin: string; readonly purpose: string };
  readonly streams?: boolean;
  readonly compacted?: boolean;
  /** Number of messages and of tools in the request. */
  readonly messages?: number;
  readonly tools?: number;
  /** With content: the instructions, and the messages that no earlier request of the run had. */
  readonly instructions?: string;
  readonly newMessages?: readonly JsonValue[];
  /** Tool name, call id and loaded skill of a tool call. */
  readonly tool?: string;
  readonly callId?: string;
  readonly skill?: string;
  /** With content: the call's arguments. */
  readonly input?: JsonValue;
  /** The plugin, hook and tap of a pass through a tap. */
  readonly plugin?: string;
  readonly hook?: string;
  readonly tap?: string;
}

/** An event at a moment of an activity. */
export interface TraceNote {
  readonly type: 'note';
  readonly id: number;
  readonly at: number;
  readonly note: string;
  readonly interrupt?: {
    readonly id: string;
    readonly kind: string;
    readonly plugin: string;
    readonly tool?: string;
  };
}

/** End of an activity. */
export interface TraceEnd {
  readonly type: 'end';
  readonly id: number;
  readonly at: number;
  readonly error?: TraceError;
  /** For a run: `completed`, `interrupted`, `aborted`, `failed`; for a tool call: `ok`, `failed`, `denied`, `interrupted`. */
  readonly outcome?: string;
  /** For a tool call that no person looked at: the rules that allowed it, and why, by the plugin that evaluates them. */
  readonly released?: { readonly by: string; readonly rules: readonly string[]; readonly because?: string };
  readonly stopReason?: string;
  readonly steps?: number;
  readonly usage?: Usage | RunUsage;
  /** For a model call: its cost in US dollars, if its price is known. */
  readonly cost?: number;
  readonly finish?: string;
  readonly toolCalls?: number;
  /** For a model call: the tools that the provider executed, and the number of sources, if any. */
  readonly providerCalls?: readonly string[];
  readonly sources?: number;
  /** With content: the model's message, or the tool's result. */
  readonly message?: JsonValue;
  readonly result?: JsonValue;
  /** For a pass through a tap: its own milliseconds, without the layers inside it, and its changes. */
  readonly ownMs?: number;
  readonly changes?: LayerChanges;
}

/** An error in a trace, without secrets: `type` is the name of its class. */
export interface TraceError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
}

/** A number of missing lines: the disk was full, or lines came faster than they could be written. */
export interface TraceLost {
  readonly type: 'lost';
  readonly lines: number;
}
