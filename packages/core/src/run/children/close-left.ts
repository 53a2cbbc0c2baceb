import { messageOf } from '../../base/thrown.ts';
import { abandonTree } from '../abandon-run.ts';
import type { Signs } from '../parts/signs.ts';
import type { RecordWriter } from '../record-writer.ts';
import type { RunTerms } from '../run-terms.ts';

/**
 * Closes the children of a resumed step whose call has ended without them, for example since their agent is gone: nothing
 * would continue them, or answer their questions. A child that cannot be closed is only reported.
 */
export async function closeLeft(terms: RunTerms, record: RecordWriter, signs: Signs): Promise<void> {
  for (const childId of record.progress.leftChildren) {
    try {
      await abandonTree(terms.parts.store, childId);
    } catch (error) {
      signs.warn('CHILD_REFUSED', `The child in session "${childId}" stays unfinished: ${messageOf(error)}`);
    }
  }
}
