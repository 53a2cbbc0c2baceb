import { ShallotError } from '../../base/errors.ts';
import type { SessionNotes } from '../../contract/agent-options.ts';
import type { SessionAbout } from '../../contract/store.ts';
import { checkAbout } from '../content/about-size.ts';
import { quoteSession } from './commit-checks.ts';

/** An option of functions that act on a session for one of its users. */
export interface ForOwner {
  /** The owner that the session must have. Default: any, or none. */
  readonly owner?: string | undefined;
}

/** The parts of a session that checking its owner needs. */
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

/** @throws `SESSION_IS_CHILD` for the session of a child run: its root's run answers and resumes it */
export function refuseChild({ id, about }: Owned): void {
  if (about?.root === undefined) return;
  throw new ShallotError('SESSION_IS_CHILD', {
    message: `Session ${quoteSession(id)} belongs to a child run of session ${quoteSession(about.root)}. Run, resume, stop and answer that one; it shows the questions of its children as its own.`,
  });
}

/**
 * Returns a session's notes with those that the options of a run add; undefined if nothing changes. @throws
 * `SESSION_OF_ANOTHER`; `OPTION_INVALID` if they are too large
 */
export function notesOf(
  known: Owned | undefined,
  { owner, title, cwd, modelName, parent }: SessionNotes,
): SessionAbout | undefined {
  if (known !== undefined) checkOwner(known, { owner });
  const before = known?.about;
  const added =
    known === undefined
      ? given({ owner, title, cwd, modelName, parent })
      : given({ title: before?.title ?? title, modelName: modelName ?? before?.modelName });
  if (added.title === before?.title && added.modelName === before?.modelName && known !== undefined)
    return undefined;
  return Object.keys(added).length === 0 ? undefined : checkAbout(Object.freeze({ ...before, ...added }));
}

function given(notes: { readonly [K in keyof SessionNotes]: SessionNotes[K] | undefined }): SessionNotes {
  return Object.fromEntries(Object.entries(notes).filter(([, note]) => note !== undefined));
}
