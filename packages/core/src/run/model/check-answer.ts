import type { Message } from '../../contract/messages.ts';
import { modelError } from '../../contract/model-error.ts';
import type { ActiveRun } from '../active-run.ts';
import { correct } from './correct.ts';
import type { Turn } from './model-turn.ts';
import { checkOutput } from './output.ts';

/**
 * Checks the answer of a turn without tool calls. What is wrong with it is told to the model, once: the message to add is
 * returned. @throws `MODEL_EMPTY`, `OUTPUT_INVALID` the second time, or when there is no further step
 */
export async function checkAnswer(
  run: ActiveRun,
  { response, isEmpty }: Turn,
  isLast: boolean,
): Promise<Message | undefined> {
  if (!isEmpty) return checkOutput(run, response.message, isLast);
  const content = 'Your answer was empty: it contained no text and no tool call. Answer again.';
  return correct(run, { source: 'empty-answer', content, isLast }, (when) => {
    // The model is asked anew by whoever takes the run up.
    run.progress.moveTo({ at: 'step', begun: true });
    const error = modelError('MODEL_EMPTY', {
      message: `The answer of the model ${run.parts.model.id} was empty${when}: it had no text, no file and no tool call. Try again, or use another model.`,
    });
    run.blames.model(error);
    return error;
  });
}
