import { fstatSync, futimesSync, type BigIntStats } from 'node:fs';

/**
 * Distinguishes contents of a file by its inode number, size and times. A content hash would make the cost of `stat` and
 * `append` grow with the file.
 */
export function revisionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-');
}

/**
 * Makes the time of a file that was just written later than that of its previous content: file system clocks tick only
 * every few milliseconds, and inode numbers are reused, so the revisions of two quick writes could be equal.
 */
export function setLaterThan(fd: number, before: BigIntStats | undefined): void {
  if (before === undefined) return;
  const { atimeNs, mtimeNs } = fstatSync(fd, { bigint: true });
  if (mtimeNs > before.mtimeNs) return;
  // Two microseconds, because times are passed in seconds as doubles, which are exact to a quarter of a microsecond.
  futimesSync(fd, Number(atimeNs) / 1e9, Number(before.mtimeNs + 2000n) / 1e9);
}
