import type { RunInfo } from '@shallot/core';
import type { PluginSetup } from '@shallot/core/plugin';

/** The revisions of files whose content the model knows from its last read or write in the session. */
export interface KnownRevisions {
  readonly of: (run: RunInfo, path: string) => string | undefined;
  readonly set: (run: RunInfo, path: string, revision: string) => void;
  readonly forget: (run: RunInfo, path: string) => void;
}

/** The number of files that a session keeps revisions of. A file that was read before those counts as unread. */
const maxFiles = 1000;

type Revisions = readonly (readonly [path: string, revision: string])[];

export function knownRevisions(state: PluginSetup['state']): KnownRevisions {
  const kept = state<Revisions>({ key: 'revisions', initial: () => [] });
  const without = (all: Revisions, path: string): Revisions => all.filter(([each]) => each !== path);
  return {
    of: (run, path) => kept.get(run).find(([each]) => each === path)?.[1],
    set(run, path, revision) {
      kept.update(run, (all) => [...without(all, path), [path, revision] as const].slice(-maxFiles));
    },
    forget(run, path) {
      if (kept.get(run).some(([each]) => each === path)) kept.update(run, (all) => without(all, path));
    },
  };
}
