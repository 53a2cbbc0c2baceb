import type { TextStage } from '@shallot/core/plugin';

/** Chains stages: each receives the output of the one before it. */
export function stagesInRow(stages: readonly TextStage[]): TextStage {
  return {
    push: (text) => stages.reduce((left, stage) => (left === '' ? '' : stage.push(left)), text),
    end: () => stages.reduce((left, stage) => (left === '' ? '' : stage.push(left)) + stage.end(), ''),
  };
}
