import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { ShallotError } from '@shallot/core';

/** The record of a change in progress, in `change.json` beside copies of the original files. */
interface ChangeRecord {
  /** The command as typed. */
  readonly command: string;
  readonly pid: number;
  readonly files: readonly { readonly path: string; readonly copy: string | null }[];
}

/** A change in progress: ended, or undone by restoring all files. */
export interface OpenChange {
  /** Keeps the changed files. */
  end(): void;
  /** Restores all files, byte for byte. */
  restore(): void;
}

/**
 * Starts a change of files, after copying the existing ones; writes nothing else if that fails. If the process ends,
 * the files are restored; after a kill, `restoreUnfinished` does it. @throws `CHANGE_UNFINISHED` while another process
 * makes a change, and errors of copying
 */
export function openChange(directory: string, command: string, files: readonly string[]): OpenChange {
  const folder = join(directory, changeFolder);
  const record = join(folder, recordName);
  // Any files here are left over from a change that ended or never began, because a valid record would have been
  // restored.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const kept = files.map((path, index) => {
      if (!existsSync(path)) return { path, copy: null };
      const copy = join(folder, String(index));
      copyFileSync(path, copy);
      return { path: realpathSync(path), copy };
    });
    const content: ChangeRecord = { command, pid: process.pid, files: kept };
    // Renamed last, so that a record is always complete.
    writeFileSync(`${record}.tmp`, JSON.stringify(content), { flush: true });
    renameSync(`${record}.tmp`, record);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const restore = (): void => {
    process.off('exit', restore);
    restoreRecord(folder, readRecord(directory));
  };
  process.on('exit', restore);
  return {
    end() {
      process.off('exit', restore);
      // Deleting the record ends the change, even if copies remain.
      rmSync(record, { force: true });
      rmSync(folder, { recursive: true, force: true });
    },
    restore,
  };
}

/** Returns the interrupted change of a project; undefined if there is none. */
export function unfinishedChange(
  directory: string,
): { readonly command: string; readonly file: string } | undefined {
  const record = readRecord(directory);
  if (record === undefined || isAlive(record.pid)) return undefined;
  return { command: record.command, file: join(directory, changeFolder, recordName) };
}

/**
 * Restores the files of an interrupted change. Returns its command; undefined if there was none. @throws
 * `CHANGE_UNFINISHED` while another process makes the change
 */
export function restoreUnfinished(directory: string): string | undefined {
  const record = readRecord(directory);
  if (record === undefined) return undefined;
  if (isAlive(record.pid)) {
    throw new ShallotError('CHANGE_UNFINISHED', {
      message: `Another process (${record.pid}) is changing this project: "${record.command}". Wait until it has ended.`,
      at: { file: join(directory, changeFolder, recordName) },
    });
  }
  restoreRecord(join(directory, changeFolder), record);
  return record.command;
}

const changeFolder = join('.shallot', 'change');
const recordName = 'change.json';

function restoreRecord(folder: string, record: ChangeRecord | undefined): void {
  for (const { path, copy } of record?.files ?? []) {
    if (copy === null) rmSync(path, { force: true });
    // A missing copy was restored by an earlier, interrupted attempt.
    else if (existsSync(copy) && !isSame(path, copy)) renameSync(copy, path);
  }
  rmSync(join(folder, recordName), { force: true });
  rmSync(folder, { recursive: true, force: true });
}

function isSame(path: string, copy: string): boolean {
  return existsSync(path) && readFileSync(path).equals(readFileSync(copy));
}

function readRecord(directory: string): ChangeRecord | undefined {
  const file = join(directory, changeFolder, recordName);
  if (!existsSync(file)) return undefined;
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
  // The record is complete: `openChange` renamed it only once it was.
  return read as ChangeRecord;
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process that belongs to another user is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
