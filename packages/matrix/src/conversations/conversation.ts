import type { AgentOptions, JsonSchema, JsonValue, UserMessage } from '@shallot/core';

/** The client's side of a run in progress, for the tools and models that a conversation is played with. */
export interface Stage {
  /** Sends a message to the run. */
  send(text: string): Promise<void>;
  /** Stops the run after its step. */
  stop(): Promise<void>;
  /**
   * Resolves once the client has shown a text that is not committed yet; at once if the client does not show such
   * texts.
   */
  shown(text: string): Promise<void>;
}

/** One turn: an input, and the answers to the questions of its run, in their order. */
export interface Turn {
  readonly input: string | UserMessage['content'];
  readonly answers?: readonly JsonValue[];
  /** The schema of the run's answer. */
  readonly output?: JsonSchema;
}

/** A scripted conversation. It is the same for every client. */
export interface Conversation {
  readonly name: string;
  /** Returns new parts for an agent, which no other conversation has used. */
  readonly parts: (stage: Stage) => Pick<AgentOptions, 'model' | 'tools' | 'plugins'>;
  readonly turns: readonly Turn[];
  /** True if the model begins an answer that is then taken back. */
  readonly isRetried: boolean;
}
