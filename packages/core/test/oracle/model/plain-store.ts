// A store, as docs/reference/store.md describes it, over plain objects.

/** The members of a session record that a store uses. */
export interface PlainRecord {
  readonly revision: number;
  readonly messages: readonly unknown[];
  readonly state: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly journal: Readonly<Record<string, unknown>>;
  readonly run?: unknown;
  readonly claim?: PlainClaim;
}

export interface PlainClaim {
  readonly owner: string;
  readonly expiresAt: number;
}

export interface PlainChange {
  readonly replace?: readonly {
    readonly from: number;
    readonly to: number;
    readonly messages: readonly unknown[];
  }[];
  readonly append?: readonly unknown[];
  readonly state?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly journal?: Readonly<Record<string, unknown>>;
  readonly run?: unknown;
  readonly claim?: PlainClaim | null;
}

/** A session. Its revisions come from the real store, because the docs only promise that they grow. */
export class PlainStore {
  #record: PlainRecord | undefined;
  /** The owners whose runs have ended without releasing their claims. */
  readonly #ended = new Set<string>();

  get record(): PlainRecord | undefined {
    return this.#record;
  }

  /** "applies a change atomically if the session still has this revision (0 if it does not exist yet)" */
  accepts(revision: number, { claim }: PlainChange): boolean {
    const held = this.#record?.claim;
    if (revision !== (this.#record?.revision ?? 0)) return false;
    if (held === undefined || claim === undefined || claim === null || claim.owner === held.owner)
      return true;
    return this.#ended.has(held.owner) || Date.now() >= held.expiresAt;
  }

  apply(revision: number, change: PlainChange): void {
    const { messages, state, journal, run, claim } = this.#record ?? nothing;
    const held = change.claim === undefined ? claim : change.claim;
    this.#record = {
      run: change.run ?? run,
      ...(held === undefined || held === null ? {} : { claim: held }),
      revision,
      messages: [...replaced(messages, change), ...(change.append ?? [])],
      state: mergedState(state, change.state ?? {}),
      journal: merged(journal, change.journal ?? {}),
    };
  }

  /** "A run that has ended holds no claim, even if the store could not record its end" */
  endClaim(): void {
    if (this.#record?.claim !== undefined) this.#ended.add(this.#record.claim.owner);
  }

  /** "renews a claim without a new revision; false if the session no longer has that claim" */
  renew(claim: PlainClaim): boolean {
    if (this.#record?.claim?.owner !== claim.owner) return false;
    this.#record = { ...this.#record, claim };
    return true;
  }
}

const nothing: PlainRecord = { revision: 0, messages: [], state: {}, journal: {} };

/** "`replace`: applied first: replaces the messages from `from` up to, but not including, `to`" */
function replaced(messages: readonly unknown[], { replace = [] }: PlainChange): readonly unknown[] {
  return replace.reduce(
    (list, { from, to, messages }) => list.toSpliced(from, to - from, ...messages),
    messages,
  );
}

/** "sets entries, by key; `null` removes one" */
function merged<T>(
  entries: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T>>,
): Record<string, T> {
  const all = Object.entries({ ...entries, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

function mergedState(state: PlainRecord['state'], changes: PlainRecord['state']): PlainRecord['state'] {
  const plugins = Object.entries(changes).map(([plugin, keys]) => [
    plugin,
    merged(state[plugin] ?? {}, keys),
  ]);
  const all = { ...state, ...Object.fromEntries(plugins) } as PlainRecord['state'];
  return Object.fromEntries(Object.entries(all).filter(([, keys]) => Object.keys(keys).length > 0));
}
