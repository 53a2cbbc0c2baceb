import type { Files } from '@shallot/core/files';

import type { Slices } from './slices.ts';

/** One line of a file, without its line feed. */
export interface Line {
  /** The number of the line, from 1. */
  readonly number: number;
  /** The bytes of the line, or the first of them. */
  readonly bytes: Buffer;
  /** The number of bytes of the line. */
  readonly length: number;
  /** True if a line feed follows. */
  readonly isEnded: boolean;
}

export interface ScanOptions {
  /** The number of bytes of a line that are kept. */
  readonly keepBytes: number;
  readonly slices: Slices;
  /** Called with each line. Returns false to end the scan. */
  readonly line: (line: Line) => boolean;
  /** Called with the beginning of the file before its lines. Returns false to end the scan. */
  readonly beginning?: (bytes: Buffer) => boolean;
}

export interface Scanned {
  readonly revision: string;
  /** True if the file was written while it was read: the result may mix both contents. */
  readonly hasChanged: boolean;
  /** True if the scan reached the end of the file. */
  readonly isComplete: boolean;
}

const chunkBytes = 256 * 1024;

/**
 * Reads a file line by line, in pieces, so that the memory for it does not grow with the file. A file that grows
 * meanwhile is read to its size at the start.
 */
export async function scanLines(
  files: Files,
  path: string,
  { keepBytes, slices, line, beginning }: ScanOptions,
): Promise<Scanned> {
  const stat = await files.stat(path);
  const size = stat?.size ?? 0;
  const lines = new LineCutter(keepBytes, line);
  let revision: string | undefined;
  let hasChanged = false;
  let start = 0;
  for (;;) {
    // An empty file is read as well, for its revision, or for the error if the file is gone.
    const length = Math.max(0, Math.min(chunkBytes, size - start));
    const { bytes, revision: now } = await files.read(path, { start, length });
    revision ??= now;
    hasChanged ||= now !== revision;
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (start === 0 && beginning?.(chunk) === false) return { revision, hasChanged, isComplete: false };
    start += chunk.length;
    for (let from = 0; from < chunk.length && !lines.isStopped;) {
      from = lines.cut(chunk, from, slices);
      if (from < chunk.length) await slices.rest();
    }
    if (lines.isStopped) return { revision, hasChanged, isComplete: false };
    if (chunk.length === 0 || start >= size) break;
    if (slices.spend(chunk.length)) await slices.rest();
  }
  lines.end();
  return { revision, hasChanged, isComplete: !lines.isStopped };
}

/** Calls a function with the lines of a file that was read whole. */
export function linesOf(
  bytes: Buffer,
  { keepBytes, slices, line }: Pick<ScanOptions, 'keepBytes' | 'slices' | 'line'>,
): void {
  const lines = new LineCutter(keepBytes, line);
  for (let from = 0; from < bytes.length && !lines.isStopped;) from = lines.cut(bytes, from, slices);
  lines.end();
}

/** Cuts chunks into lines. The beginning of a line waits for the next chunk. */
class LineCutter {
  isStopped = false;
  readonly #keepBytes: number;
  readonly #line: (line: Line) => boolean;
  #number = 1;
  #pending: Buffer[] = [];
  #kept = 0;
  #length = 0;

  constructor(keepBytes: number, line: (line: Line) => boolean) {
    this.#keepBytes = keepBytes;
    this.#line = line;
  }

  /** Takes lines of a chunk, until its end or until a pause is due. Returns the position at which it stopped. */
  cut(chunk: Buffer, start: number, slices: Slices): number {
    let from = start;
    while (!this.isStopped && from < chunk.length) {
      const end = chunk.indexOf(10, from);
      this.#add(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) return chunk.length;
      this.#tell(true);
      from = end + 1;
      if (slices.spend(100)) return from;
    }
    return from;
  }

  /** Ends the scan: bytes after the last line feed are a line, too. */
  end(): void {
    if (!this.isStopped && this.#length > 0) this.#tell(false);
  }

  #add(bytes: Buffer): void {
    const room = this.#keepBytes - this.#kept;
    if (room > 0) {
      const kept = bytes.subarray(0, room);
      this.#pending.push(kept);
      this.#kept += kept.length;
    }
    this.#length += bytes.length;
  }

  #tell(isEnded: boolean): void {
    const [first = Buffer.alloc(0), ...more] = this.#pending;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#pending);
    const goesOn = this.#line({ number: this.#number, bytes, length: this.#length, isEnded });
    this.#number += 1;
    this.#pending = [];
    this.#kept = 0;
    this.#length = 0;
    this.isStopped = !goesOn;
  }
}
