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

/** What is kept of a change while it is made, in `change.json` beside copies of the files as they were. */
interface ChangeRecord {
  /** The command, as it was typed. */
  readonly command: string;
  readonly pid: number;
  readonly files: readonly { readonly path: string; readonly copy: string | null }[];
}

/** A change of files that is begun: it is ended, or all of them are put back as they were. */
export interface OpenChange {
  /** Keeps what the files are now. */
  end(): void;
  /** Makes all files what they were, byte for byte. */
  restore(): void;
}

/**
 * Begins a change of some files, of which those that are there are copied first; nothing else is written if that fails.
 * If the process ends in between, the files are put back; if it is killed, `restoreUnfinished` does it later.
 * @throws `CHANGE_UNFINISHED` when another process is at work on it, and what copying throws
 */
export function openChange(directory: string, command: string, files: readonly string[]): OpenChange {
  const folder = join(directory, changeFolder);
  const record = join(folder, recordName);
  // Whatever was there before is no record: one would have been restored.
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
    // Named last: a record is whole as soon as there is one.
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
      // With it the change is over, whatever becomes of the copies.
      rmSync(record, { force: true });
      rmSync(folder, { recursive: true, force: true });
    },
    restore,
  };
}

/** The change that was cut off in a project, if there is one. */
export function unfinishedChange(
  directory: string,
): { readonly command: string; readonly file: string } | undefined {
  const record = readRecord(directory);
  if (record === undefined || isAlive(record.pid)) return undefined;
  return { command: record.command, file: join(directory, changeFolder, recordName) };
}

/**
 * Puts back the files of a change that was cut off. Returns its command, if there was one.
 * @throws `CHANGE_UNFINISHED` when another process is making it
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
    // A copy that is gone is in its place again: an earlier attempt was cut off, too.
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
  // It was written here, and took its name when it was whole.
  return read as ChangeRecord;
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
