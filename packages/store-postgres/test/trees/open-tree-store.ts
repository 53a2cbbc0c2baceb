import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';

import { postgresStore } from '../../src/postgres-store.ts';

/** The store with the sessions of trees. */
export type TreePlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Opens the store of trees. With `host`, its claims are those of another machine. */
export function openTreeStore(place: TreePlace, host?: string): Store {
  const store =
    place.kind === 'sqlite' ? sqliteStore(place.path) : postgresStore({ url: place.url, poolSize: 4 });
  if (host === undefined) return store;
  return {
    ...store,
    commit: (id, revision, change) =>
      store.commit(id, revision, change.claim ? { ...change, claim: { ...change.claim, host } } : change),
    renew: (id, claim) => store.renew(id, { ...claim, host }),
  };
}
