import type { Message } from '../../contract/messages.ts';
import { modelError, placeOfModel } from '../../contract/model-error.ts';
import type { RunParts } from '../run-parts.ts';
import { correct } from './correct.ts';
import type { Turn } from './model-turn.ts';
import { checkOutput } from './output.ts';

/**
 * Checks a response without tool calls. Returns the message that asks the model to correct it, at most once per run;
 * undefined if it is valid. @throws `MODEL_EMPTY` or `OUTPUT_INVALID` the second time, or without a further step
 */
export async function checkAnswer(
  { terms, record, signs }: RunParts,
  { response, isEmpty }: Turn,
  isLast: boolean,
): Promise<Message | undefined> {
  if (!isEmpty) return checkOutput(record, terms.model.output, response.message, isLast);
  const content = 'Your answer was empty: it contained no text and no tool call. Answer again.';
  return correct(record, { source: 'empty-answer', content, isLast }, (when) => {
    // A resumed run asks the model again.
    record.progress.moveTo(record.progress.asked);
    const error = modelError('MODEL_EMPTY', {
      at: placeOfModel(terms.parts.model),
      message: `The answer of the model ${terms.parts.model.id} was empty${when}: it had no text, no file and no tool call. Try again, or use another model.`,
    });
    signs.blames.model(error);
    return error;
  });
}
