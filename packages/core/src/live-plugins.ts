import type { Owner } from './owner.ts';
import type { StateEntry } from './store.ts';

/** A piece of state that a plugin declared, with who declared it. */
export interface DeclaredState {
  readonly owner: Owner;
  readonly key: string;
  readonly scope: 'session' | 'run';
  /** Brings a stored value up to the declared version; `writer` is the plugin's version then. @throws `STATE_VERSION` */
  readonly upgrade: (entry: StateEntry, writer?: string) => StateEntry;
}
