/** Transforms a text that arrives in pieces. The output does not depend on how the text was split. */
export interface TextStage {
  /** Adds a piece. Returns the text that is decided. */
  push(text: string): string;
  /** Returns the rest, and resets the stage. */
  end(): string;
}

/** Chains stages: each receives the output of the one before it. */
export function stagesInRow(stages: readonly TextStage[]): TextStage {
  return {
    push: (text) => stages.reduce((left, stage) => (left === '' ? '' : stage.push(left)), text),
    end: () => stages.reduce((left, stage) => (left === '' ? '' : stage.push(left)) + stage.end(), ''),
  };
}
