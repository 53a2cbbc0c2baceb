import { isShallotError, ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { WorkerTerms } from '../run/resume/resume-run.ts';
import type { WorkOptions } from './work-options.ts';

/** Returns the context of a run, from the function in the worker's options. @throws `CONTEXT_FAILED` */
export async function contextOf(
  { context }: WorkOptions,
  ...given: Parameters<WorkerTerms['contextOf']>
): Promise<unknown> {
  try {
    return await context?.(...given);
  } catch (cause) {
    throw new ShallotError('CONTEXT_FAILED', {
      message: `The function \`context\` of the worker failed; fix it, then resume the session. It threw: ${messageOf(cause)}`,
      at: isShallotError(cause) ? cause.at : undefined,
      cause,
    });
  }
}
