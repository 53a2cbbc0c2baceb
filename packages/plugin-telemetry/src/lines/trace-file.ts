import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, extname } from 'node:path';

import type { TraceLost } from './trace-line.ts';

/**
 * The most characters that wait to be written. More are dropped, because a disk that hangs must not fill the memory.
 */
const maxWaitingCharacters = 4_000_000;
/** The bytes of a file that are read for its header, which is shorter. */
const headLength = 4096;

export interface TraceFileOptions {
  readonly path: string;
  /** True if a file at the path is for another run, so that this run uses a name with its id. Default: false. */
  readonly isForOthers?: boolean;
  /** Called with the number of lost lines, and the reason. */
  readonly lost: (lines: number, error: unknown) => void;
  /** Called with the path of the file, once that is known. */
  readonly opened?: ((path: string) => void) | undefined;
}

interface OpenFile {
  readonly path: string;
  readonly file: FileHandle;
}

/**
 * Appends a run's lines to its file in the background: nothing waits for this, and nothing here throws. A file with
 * another run is left alone; the name then contains the run's id.
 */
export class TraceFile {
  readonly #options: TraceFileOptions;
  readonly #run: string;
  #waiting: string[] = [];
  #size = 0;
  #lostLines = 0;
  /** True if the last line may be cut off. */
  #isCut = false;
  #writing: Promise<void> | undefined;
  #handle: Promise<FileHandle> | undefined;

  constructor(runId: string, options: TraceFileOptions) {
    this.#run = runId;
    this.#options = options;
  }

  add(line: string): void {
    if (this.#size + line.length > maxWaitingCharacters) {
      this.#lose(1, new Error('data arrived faster than it could be written'));
      return;
    }
    this.#waiting.push(line);
    this.#size += line.length + 1;
    this.#writing ??= this.#write();
  }

  /** Writes what is left. Resolves when that is done, or has failed. */
  async close(): Promise<void> {
    await this.#writing;
    try {
      await using handle = await this.#handle;
      if (this.#lostLines > 0) await handle?.appendFile(`\n${lossLine(this.#lostLines)}\n`);
    } catch {
      // The reason why the lines were not written was reported already.
    }
  }

  async #write(): Promise<void> {
    // Lines that are added before the next microtask are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#size = 0;
      try {
        const handle = await (this.#handle ??= this.#open());
        const text = `${this.#isCut ? '\n' : ''}${lines.join('\n')}\n`;
        this.#isCut = true;
        await handle.appendFile(text);
        this.#isCut = false;
      } catch (error) {
        this.#lose(lines.length, error);
      }
    }
    this.#writing = undefined;
  }

  #lose(lines: number, error: unknown): void {
    this.#lostLines += lines;
    this.#options.lost(lines, error);
  }

  async #open(): Promise<FileHandle> {
    const { path, isForOthers = false, opened } = this.#options;
    await mkdir(dirname(path), { recursive: true });
    const ending = extname(path);
    const own = `${path.slice(0, path.length - ending.length)}-${this.#run}${ending}`;
    // An empty file at the path may belong to another run that is about to write; one under this run's name is its
    // own.
    const handle =
      (await (isForOthers ? this.#openThere(path, false) : this.#openAt(path, false))) ??
      (await this.#openAt(own, true));
    if (handle === undefined) throw new Error(`${path} and ${own} exist and contain other runs`);
    opened?.(handle.path);
    return handle.file;
  }

  /** Opens a new file, or that of this run; returns undefined if the file has other content. */
  async #openAt(path: string, isOwnWhenEmpty: boolean): Promise<OpenFile | undefined> {
    try {
      // Only its owner may read it.
      return { path, file: await open(path, 'ax', 0o600) };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    return this.#openThere(path, isOwnWhenEmpty);
  }

  /** Opens the existing file; undefined if it is that of another run, or was removed. */
  async #openThere(path: string, isOwnWhenEmpty: boolean): Promise<OpenFile | undefined> {
    const file = await openExisting(path);
    if (file === undefined) return undefined;
    let isOurs = false;
    try {
      isOurs = await this.#isOurs(file, isOwnWhenEmpty);
    } finally {
      if (!isOurs) await file.close();
    }
    return isOurs ? { path, file } : undefined;
  }

  async #isOurs(file: FileHandle, isOwnWhenEmpty: boolean): Promise<boolean> {
    const status = await file.stat();
    // A device or a pipe holds no run, so it is always written to.
    if (!status.isFile()) return true;
    if (status.size === 0) return isOwnWhenEmpty;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
    const [first = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
    // A resumed run begins where the last line of its process may have been cut off.
    this.#isCut = first.includes(`"runId":${JSON.stringify(this.#run)}`);
    return this.#isCut;
  }
}

/** Opens an existing file. Returns undefined if it was removed, because creating it here would leave an empty file. */
async function openExisting(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function lossLine(lines: number): string {
  return JSON.stringify({ type: 'lost', lines } satisfies TraceLost);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
