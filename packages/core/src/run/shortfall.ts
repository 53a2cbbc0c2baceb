import type { StopReason } from '../contract/result.ts';
import type { RunParts } from './run-parts.ts';

/** Warns if the answer of a completed run is incomplete: step limit, output limit or content filter. */
export function warnOfShortfall({ terms, record, signs }: RunParts, stopReason: StopReason): void {
  const finish = record.verdict.lastWord?.finish;
  if (stopReason === 'max-steps') {
    const { maxSteps } = terms.parts;
    signs.warn(
      'MAX_STEPS',
      `The run reached its last step (maxSteps: ${maxSteps}) and stopped. Raise maxSteps, or run it again to continue.`,
    );
  }
  if (finish === 'length') {
    signs.warn(
      'ANSWER_CUT_OFF',
      'The answer was cut off by the output limit. Raise settings.maxOutputTokens, or ask for less at once.',
    );
  } else if (finish === 'content-filter') {
    signs.warn('ANSWER_FILTERED', "The provider's filter cut off the answer.");
  }
}
