/** Changes a text that comes in pieces: what all pieces give together does not depend on how the text was cut. */
export interface TextStage {
  /** Takes a piece, and gives what is decided by now. */
  push(text: string): string;
  /** Gives the rest. The stage may be used for another text then. */
  end(): string;
}

/** Stages one behind the other. */
export function stagesInRow(stages: readonly TextStage[]): TextStage {
  return {
    push: (text) => stages.reduce((left, stage) => (left === '' ? '' : stage.push(left)), text),
    end: () => stages.reduce((left, stage) => (left === '' ? '' : stage.push(left)) + stage.end(), ''),
  };
}
