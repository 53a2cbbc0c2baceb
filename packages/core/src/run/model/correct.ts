import type { ShallotError } from '../../base/errors.ts';
import type { Message } from '../../contract/messages.ts';
import type { ActiveRun } from '../active-run.ts';

interface Correction {
  /** What tells it from the user's own messages. */
  readonly source: string;
  readonly content: string;
  /** There is no step left in which the model could answer it. */
  readonly isLast: boolean;
}

/**
 * The message that tells the model, once in a run, that its answer will not do. Throws what `failure` makes when that
 * was of no use, or can be of none; it is given why.
 */
export function correct(
  run: ActiveRun,
  { source, content, isLast }: Correction,
  failure: (when: string) => ShallotError,
): Message | undefined {
  // By the mark of its id: the first message of the run may have been replaced.
  const told = run.session.findLast(({ id, source: by }) => by === source && id.startsWith(`${run.id}.`));
  const wasTold = told !== -1;
  if (wasTold) throw failure(', also after the model was asked again');
  if (isLast) throw failure(', and no step is left to ask the model again');
  return run.toMessages({ role: 'user', content, source })[0];
}
