import { messageOf } from '../../base/thrown.ts';
import type { Store } from '../../contract/store.ts';
import { abandonTree } from '../abandon-run.ts';
import type { Signs } from '../parts/signs.ts';

/**
 * Closes children whose call has ended without them, for example because their agent is gone or the run around them was
 * abandoned: nothing would continue them or answer their questions. If a child cannot be closed, this is only reported.
 */
export async function closeLeft(left: readonly string[], store: Store, signs: Signs): Promise<void> {
  for (const childId of left) {
    try {
      await abandonTree(store, childId);
    } catch (error) {
      signs.warn('CHILD_REFUSED', `The child in session "${childId}" stays unfinished: ${messageOf(error)}`);
    }
  }
}
