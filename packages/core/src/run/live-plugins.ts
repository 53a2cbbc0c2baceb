import type { RunRecord, StateEntry } from '../contract/store.ts';
import type { Chains } from '../hooks/chains.ts';
import type { Owner } from '../hooks/owner.ts';

/** A piece of state that a plugin declared, with who declared it. */
export interface DeclaredState {
  readonly owner: Owner;
  readonly key: string;
  readonly scope: 'session' | 'run';
  /** Brings a stored value up to the declared version; `writer` is the plugin's version then. @throws `STATE_VERSION` */
  readonly upgrade: (entry: StateEntry, writer?: string) => StateEntry;
}

/** What runs need of the plugins of their agent. */
export interface LivePlugins {
  /** The hooks as they are now. */
  readonly chains: Chains;
  /** Which plugins are there, for the record of a run. */
  readonly record: RunRecord['plugins'];
  readonly states: readonly DeclaredState[];
  has(id: string): boolean;
}
