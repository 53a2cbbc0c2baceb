import type { ShallotError } from '../../base/errors.ts';
import type { DeletedSession } from '../../contract/plugin.ts';
import type { RedactionService } from '../../contract/services/redaction.ts';
import type { RunRecord } from '../../contract/store.ts';
import type { SessionPlace } from '../../files/session-place.ts';
import type { Chains } from '../../hooks/chains.ts';
import type { DeclaredState, LivePlugins } from '../live-plugins.ts';

/** The plugins of a parent as its children see them: the same instances, with fewer of their taps. */
export class ChildPlugins implements LivePlugins {
  readonly chains: Chains;
  readonly #host: LivePlugins;

  constructor(host: LivePlugins, chains: Chains) {
    this.#host = host;
    this.chains = chains;
  }

  get record(): RunRecord['plugins'] {
    return this.#host.record;
  }

  get states(): readonly DeclaredState[] {
    return this.#host.states;
  }

  get places(): readonly SessionPlace[] {
    return this.#host.places;
  }

  get handlesDeletions(): boolean {
    return this.#host.handlesDeletions;
  }

  get redactions(): readonly RedactionService[] {
    return this.#host.redactions;
  }

  sessionDeleted(session: DeletedSession): Promise<readonly ShallotError[]> {
    return this.#host.sessionDeleted(session);
  }

  has(id: string): boolean {
    return this.#host.has(id);
  }
}
