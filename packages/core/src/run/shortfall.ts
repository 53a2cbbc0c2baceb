import type { StopReason } from '../contract/result.ts';
import type { ActiveRun } from './active-run.ts';

/** Says of a run that is completed what its answer lacks to be a whole one. */
export function warnOfShortfall(run: ActiveRun, stopReason: StopReason): void {
  const finish = run.verdict.lastWord?.finish;
  if (stopReason === 'max-steps') {
    const { maxSteps } = run.parts;
    run.warn(
      'MAX_STEPS',
      `The run reached its last step (maxSteps: ${maxSteps}) and stopped. Raise maxSteps, or run it again to continue.`,
    );
  }
  if (finish === 'length') {
    run.warn(
      'ANSWER_CUT_OFF',
      'The answer was cut off by the output limit. Raise settings.maxOutputTokens, or ask for less at once.',
    );
  } else if (finish === 'content-filter') {
    run.warn('ANSWER_FILTERED', "The provider's filter cut off the answer.");
  }
}
