import type { Address } from '../base/address.ts';
import type { JsonValue } from '../base/json.ts';
import type { JsonSchema, Schema } from '../base/schema.ts';
import type { ToolDisplay } from './tool-display.ts';

/** A question that a hook or a tool asks a person or another program. */
export interface InterruptRequest<S extends Schema = Schema> {
  /** The kind of question, for user interfaces: `approval`, `question`. */
  readonly kind: string;
  /** The content to show, as JSON. @throws `VALUE_NOT_JSON` for anything else */
  readonly payload: unknown;
  /** Data for clients that is not part of the question, which stays the same when the data changes. JSON. Default: none. */
  readonly details?: unknown;
  /** The schema of the answer. It is stored as JSON Schema, so that other processes can validate answers. */
  readonly answer: S;
}

/** A stored question that waits for an answer. */
export interface Interrupt {
  /** Deterministic: derived from run, step, call, plugin, the question, and its ordinal among equal questions. */
  readonly id: string;
  readonly kind: string;
  /** The id of the plugin that asks; `tool` for a tool, `core` for the core itself. */
  readonly plugin: string;
  /** The place that asks in the tree of runs. Absent from questions of earlier versions. */
  readonly address?: Address;
  /** The waiting tool call, as it would be executed. */
  readonly call?: InterruptedCall;
  /**
   * For a question of a child run: the ids of the calls that lead to the child, from the call of this session's run
   * inwards.
   */
  readonly under?: readonly string[];
  readonly payload: JsonValue;
  /** Data for clients that may differ while the question stays the same. */
  readonly details?: JsonValue;
  readonly answerSchema: JsonSchema;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** A waiting tool call, with its tool's data for clients. */
export interface InterruptedCall extends Partial<ToolDisplay> {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  /** In a question of a gate: the JSON Schema of the tool's arguments, for a form to edit them. */
  readonly inputSchema?: JsonSchema;
  /** In a question of a gate: the schema's output for `input`, if it differs. */
  readonly output?: CallOutput;
}

/** A record of who answered a question, and when. */
export interface AnswerNote {
  /** The kind of the question. */
  readonly kind: string;
  /** The id of the call that asked; absent for a question of a before or after hook. */
  readonly callId?: string;
  /** The name that the application passed: `local` for a person at the terminal. */
  readonly by?: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/**
 * An answer as recorded in `metadata.core.answers` of a message: the result of the call that asked or, for a question of
 * a hook, the next answer of the model. The record is for people; no decision depends on it.
 */
export interface GivenAnswer extends Omit<AnswerNote, 'callId'> {
  readonly answer: JsonValue;
}

/** Answers by interrupt id. */
export type Answers = Readonly<Record<string, JsonValue>>;

/** The output of a tool's schema for the arguments of a call, if it differs: defaults, transforms. */
export interface CallOutput {
  /** As JSON. Values that are not JSON are replaced by a description in parentheses. */
  readonly value: JsonValue;
  /** The paths of values that are not JSON, each with a description; absent if there are none. */
  readonly notJson?: readonly string[];
}

/** A person's answer about a call whose effect is unknown. */
export interface UnknownEffectAnswer {
  readonly action: 'repeat' | 'result';
  readonly result?: string;
}

/** A call whose effect is unknown, and the reason, for the person who is asked. */
export interface UnknownEffect {
  readonly tool: string;
  readonly input: unknown;
  readonly message: string;
}

/**
 * Returns the question about a call that may have taken effect, although no result arrived. The answer is an
 * `UnknownEffectAnswer`.
 */
export function unknownEffect({ tool, input, message }: UnknownEffect): InterruptRequest<JsonSchema> {
  return { kind: 'unknown-effect', payload: { tool, input, message }, answer };
}

/** Returns the text for the model after the answer `result`. */
export function unknownResultText({ result }: UnknownEffectAnswer): string {
  return result ?? 'The call took effect; its result was lost.';
}

const answer: JsonSchema = {
  type: 'object',
  properties: {
    action: {
      enum: ['repeat', 'result'],
      description: 'repeat: execute the call again; result: do not, and use this result for the model',
    },
    result: { type: 'string' },
  },
  required: ['action'],
  additionalProperties: false,
};
