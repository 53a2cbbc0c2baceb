import type { JsonValue } from '../base/json.ts';
import type { JsonSchema, Schema } from '../base/schema.ts';

/** What a hook or a tool asks of the outside world. */
export interface InterruptRequest<S extends Schema = Schema> {
  /** Names the sort of question, for whoever shows it: `approval`, `question`. */
  readonly kind: string;
  /** What is shown: JSON, interfaces included. `VALUE_NOT_JSON` is thrown for anything else. */
  readonly payload: unknown;
  /** The answer's schema. It is stored as JSON Schema, so that another process can check an answer. */
  readonly answer: S;
}

/** A pause that waits for an answer, as it is stored. */
export interface Interrupt {
  /** Deterministic: made of run, step, call, plugin, what is asked, and its ordinal among equal questions. */
  readonly id: string;
  readonly kind: string;
  /** The id of the plugin that asks; `tool` for a tool, `core` for the core itself. */
  readonly plugin: string;
  /** The tool call that waits, as it would be executed. */
  readonly call?: {
    readonly id: string;
    readonly name: string;
    readonly input: JsonValue;
    /** In a question of a gate: what the tool's schema makes of `input`, if that is something else. */
    readonly output?: CallOutput;
  };
  readonly payload: JsonValue;
  readonly answerSchema: JsonSchema;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** Answers by interrupt id. */
export type Answers = Readonly<Record<string, JsonValue>>;

/** What the schema of a tool makes of the arguments of a call, where that is something else: defaults, transforms. */
export interface CallOutput {
  /** As JSON. In the place of what JSON cannot hold stands a text in parentheses that describes it. */
  readonly value: JsonValue;
  /** The paths of what JSON cannot hold, each with what it is; absent when there is none. */
  readonly notJson?: readonly string[];
}
