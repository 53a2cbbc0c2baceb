/** Changes a text that arrives in pieces. The output must not depend on how the text was split. */
export interface TextStage {
  /** Adds a piece. Returns the text that is decided. */
  push(text: string): string;
  /** Returns the rest, and resets the stage. */
  end(): string;
}
