import type { SessionRecord } from '../../contract/store.ts';
import { SessionContent } from './session-content.ts';

/** A session at a revision, with everything that its next run needs. */
export interface KnownSession {
  readonly id: string;
  readonly revision: number;
  /** Owned by the run that continues from it. */
  readonly content: SessionContent;
}

export function knownSession(record: SessionRecord): KnownSession {
  return { id: record.id, revision: record.revision, content: SessionContent.of(record) };
}
