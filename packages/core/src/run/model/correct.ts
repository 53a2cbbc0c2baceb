import type { ShallotError } from '../../base/errors.ts';
import type { Message } from '../../contract/messages.ts';
import type { RecordWriter } from '../record-writer.ts';

interface Correction {
  /** Marks the message, so that it can be told apart from the user's. */
  readonly source: string;
  readonly content: string;
  /** True if no step is left in which the model could answer. */
  readonly isLast: boolean;
}

/**
 * Returns the message that asks the model to correct its answer. Throws the error of `failure` if this was already
 * tried in this run, or no step is left; `failure` gets the reason as text.
 */
export function correct(
  record: RecordWriter,
  { source, content, isLast }: Correction,
  failure: (when: string) => ShallotError,
): Message | undefined {
  // Searched by id prefix, because the first message of the run may have been replaced.
  const told = record.session.findLast(({ id, source: by }) => by === source && record.isOwnId(id));
  const wasTold = told !== -1;
  if (wasTold) throw failure(', also after the model was asked again');
  if (isLast) throw failure(', and no step is left to ask the model again');
  return record.toMessages({ role: 'user', content, source })[0];
}
