import { ShallotError, type SourceLocation } from '../base/errors.ts';
import { ownFolder } from '../base/own-folder.ts';
import type { LoadedConfig } from './load-config.ts';
import { noteImported, stalePackages, type StaleCode } from './modules/imported-packages.ts';
import { noteRequired, staleRequired } from './modules/stale-required.ts';
import { packageAround } from './packages/find-package.ts';

/** Notes running code that cannot be reloaded: the core, and files that CommonJS has required. */
export function noteRunningCode(): void {
  const own = packageAround(ownFolder);
  if (own !== undefined) noteImported(own);
  noteRequired();
}

/** Returns a warning if the config names another store than the open one. */
export function changedStore(before: LoadedConfig, now: LoadedConfig): ShallotError[] {
  const [old, written] = [before, now].map(({ merged: { store } }) => JSON.stringify(store?.value));
  if (old === written) return [];
  const message =
    'The store of the config has changed. Sessions stay in the store that is open. Restart the process to use the other one.';
  return [
    new ShallotError('RESTART_NEEDED', { message, at: now.merged.store?.locate() ?? { file: now.path } }),
  ];
}

/**
 * Returns warnings for code that has changed on disk since its import; of packages, only those used after the marker
 * `after`.
 */
export function staleCodeWarnings(at: SourceLocation, after: number): ShallotError[] {
  return [...stalePackages(after), ...staleRequired()].map(
    (code) => new ShallotError('RESTART_NEEDED', { message: `${describe(code)} ${remedy}`, at }),
  );
}

const remedy = 'It stays as it was imported, because Node cannot unload it. Restart the process to load it.';

function describe({ name, directory, versions, file }: StaleCode): string {
  if (versions === undefined) return `${name} has changed.`;
  const [running, onDisk] = versions;
  return running === onDisk
    ? `${name} ${running} has changed (${file} in ${directory}).`
    : `${name} ${running} was replaced by ${onDisk} (${directory}).`;
}
