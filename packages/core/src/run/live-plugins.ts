import type { ShallotError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { DeletedSession } from '../contract/plugin.ts';
import type { RedactionService } from '../contract/services/redaction.ts';
import type { ConfiguredPlugins, StateEntry } from '../contract/store.ts';
import type { SessionPlace } from '../files/session-place.ts';
import type { Owner } from '../hooks/owner.ts';

/** A state that a plugin declared. */
export interface DeclaredState {
  readonly owner: Owner;
  readonly key: string;
  readonly scope: 'session' | 'run';
  /** True if child runs share the state of their root. */
  readonly tree: boolean;
  /**
   * Returns the entry at the declared version; `writer` is the version of the plugin that wrote it. @throws
   * `STATE_VERSION`
   */
  readonly upgrade: (entry: StateEntry, writer?: string) => StateEntry;
  /** Returns the entry, or the initial value, with more members. The value must be an object. */
  readonly merge: (entry: StateEntry | undefined, members: JsonObject) => StateEntry;
}

/** The plugins of an agent as its runs see them. */
export interface LivePlugins {
  /** The configured plugins, as they are stored with a run. */
  readonly record: ConfiguredPlugins;
  readonly states: readonly DeclaredState[];
  /** The paths at which plugins keep files of sessions. */
  readonly places: readonly SessionPlace[];
  /** True if a plugin listens for deleted sessions. */
  readonly handlesDeletions: boolean;
  /**
   * Calls all listeners for deleted sessions, outside in. A failing or slow listener does not stop the others. Returns
   * their errors.
   */
  sessionDeleted(session: DeletedSession): Promise<readonly ShallotError[]>;
  /** The registered redaction services; empty if there are none. */
  readonly redactions: readonly RedactionService[];
  has(id: string): boolean;
}
