import { ShallotError } from '../../base/errors.ts';
import type { SessionAbout } from '../../contract/store.ts';
import { quoteSession } from './commit-checks.ts';

/** An option of functions that act on a session for one of its users. */
export interface ForOwner {
  /** The owner that the session must have. Default: any, or none. */
  readonly owner?: string | undefined;
}

/** A session, as far as its owner is concerned. */
interface Owned {
  readonly id: string;
  readonly about?: SessionAbout | undefined;
}

/** @throws `SESSION_OF_ANOTHER` if an owner is given, and the session has another one or none */
export function checkOwner({ id, about }: Owned, { owner }: ForOwner): void {
  if (owner === undefined || about?.owner === owner) return;
  throw new ShallotError('SESSION_OF_ANOTHER', {
    message: `Session ${quoteSession(id)} does not belong to the owner that was given. Use a session of this owner.`,
  });
}

/** The notes that the options of a run add to those of a session; undefined if there is nothing to add. */
export function notesOf(
  known: Owned | undefined,
  { owner, title }: ForOwner & { readonly title?: string | undefined },
): SessionAbout | undefined {
  if (known !== undefined) checkOwner(known, { owner });
  const noted = known?.about;
  const added = {
    ...(known === undefined && owner !== undefined ? { owner } : {}),
    ...(title !== undefined && noted?.title === undefined ? { title } : {}),
  };
  return Object.keys(added).length === 0 ? undefined : Object.freeze({ ...noted, ...added });
}
