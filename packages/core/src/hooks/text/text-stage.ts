/** Changes a text that arrives in pieces. The output must not depend on how the text was split. */
export interface TextStage {
  /** Adds a piece. Returns the changed text that later pieces can no longer affect. */
  push(text: string): string;
  /** Returns the rest of the changed text, and resets the stage. */
  end(): string;
}
