import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Replaces a file atomically: readers see the old or the new content, even if the disk is full. */
export function replaceFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const old = statSync(path, { throwIfNoEntry: false });
  // Replaces the target of a symbolic link, not the link.
  const target = old === undefined ? path : realpathSync(path);
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    writeFileSync(draft, content, { flush: true, ...(old && { mode: old.mode & 0o777 }) });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
