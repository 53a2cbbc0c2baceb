import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { isProcessThere } from '../../base/this-process.ts';
import {
  acceptLoaded,
  digestOf,
  filesOf,
  hasChanged,
  recordsIn,
  type LoadedRecord,
} from '../../files/protection/watch-loaded.ts';

/** A file that an agent is loaded from, and that changed while one of its sessions ran. */
export interface ChangedFile {
  /** The absolute path. */
  readonly path: string;
  readonly change: 'changed' | 'added' | 'removed';
}

/** Decides about changed files before any of them is loaded: true loads them. */
export type OnChangedFiles = (files: readonly ChangedFile[]) => boolean | Promise<boolean>;

/**
 * Rejects a config if files that its agent is loaded from changed while one of its sessions ran, unless a person
 * accepts them. Removes the records of accepted changes and of ended processes. @throws `FILE_CHANGED`
 */
export async function refuseChanged(directory: string, onChanged: OnChangedFiles | undefined): Promise<void> {
  const records = readRecords(directory);
  const files = new Map(
    records.flatMap(({ record, path }) => changedIn(record, path)).map((file) => [file.path, file]),
  );
  if (files.size > 0 && (await onChanged?.([...files.values()])) !== true)
    throw changed([...files.values()], recordsIn(directory));
  for (const { path, record } of records)
    if (files.size > 0 || record === undefined || !isProcessThere(record)) rmSync(path, { force: true });
  if (files.size > 0) acceptLoaded(directory);
}

interface Found {
  readonly path: string;
  /** Undefined if it is damaged. */
  readonly record: LoadedRecord | undefined;
}

function readRecords(directory: string): readonly Found[] {
  const folder = recordsIn(directory);
  return namesIn(folder).map((name) => {
    const path = join(folder, name);
    return { path, record: parseRecord(readFileSync(path, 'utf8')) };
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    // No session has run yet.
    return [];
  }
}

function parseRecord(text: string): LoadedRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    // Only `watch-loaded.ts` writes records.
    return isObject(record) && record['format'] === 1 ? (record as unknown as LoadedRecord) : undefined;
  } catch {
    // It is damaged, and shown as changed.
    return undefined;
  }
}

function changedIn(record: LoadedRecord | undefined, path: string): readonly ChangedFile[] {
  // A damaged record may have contained any file.
  if (record === undefined) return [{ path, change: 'changed' }];
  const before = new Map(Object.entries(record.files));
  const added = filesOf(record.globs).filter((file) => !before.has(file));
  return [
    ...added.map((file): ChangedFile => ({ path: file, change: 'added' })),
    ...[...before].flatMap(([file, digest]): ChangedFile[] => {
      if (!hasChanged(file, digest)) return [];
      const now = digestOf(file);
      return [
        { path: file, change: digest === 'missing' ? 'added' : now === 'missing' ? 'removed' : 'changed' },
      ];
    }),
  ];
}

function changed(files: readonly ChangedFile[], folder: string): ShallotError {
  const list = files.map(({ path, change }) => `${path} was ${change}`).join(', ');
  return new ShallotError('FILE_CHANGED', {
    message: `While a session of this agent ran, files that it is loaded from changed, perhaps by a command or a server of its own: ${list}. Nothing was loaded. Look at them, then start the agent on a terminal, which asks, or remove ${folder}.`,
  });
}
