import { randomUuid } from '../base/node-crypto.ts';
import { asText, encodeContent } from './content.ts';
import { checkFileRevision, checkSize, fileNotFound, notADirectory, notAFile } from './file-errors.ts';
import { defaultMaxBytes, type FileEntry, type Files, type FilesOptions } from './files.ts';
import { byPath, joinPath, splitPath, splitRemoved, splitWithin } from './path.ts';

type Directory = Map<string, Directory | MemoryFile>;

/** Stores files in memory until the process ends. A directory exists as long as it contains a file. */
export function memoryFiles({ maxBytes = defaultMaxBytes }: FilesOptions = {}): Files {
  const root: Directory = new Map();
  /** Part of these files' revisions: a session may outlive the files, and its revisions must not match those of others. */
  let instance: string | undefined;
  let revisions = 0;

  function find(names: readonly string[]): Directory | MemoryFile | undefined {
    let found: Directory | MemoryFile | undefined = root;
    for (const name of names) {
      if (!(found instanceof Map)) return undefined;
      found = found.get(name);
    }
    return found;
  }

  function findFile(path: string): MemoryFile | undefined {
    const found = find(splitPath(path));
    if (found instanceof Map) throw notAFile(path, 'a directory');
    return found;
  }

  /** Stores a file with a new, unique revision. */
  function put(path: string, file: MemoryFile): string {
    const names = splitPath(path);
    let directory = root;
    for (const [depth, name] of names.slice(0, -1).entries()) {
      const next = directory.get(name) ?? new Map<string, Directory | MemoryFile>();
      if (!(next instanceof Map)) throw notADirectory(joinPath(names.slice(0, depth + 1)));
      directory.set(name, next);
      directory = next;
    }
    revisions += 1;
    instance ??= randomUuid();
    file.revision = `${instance}-${revisions}`;
    file.modified = Date.now();
    directory.set(names.at(-1) ?? '', file);
    return file.revision;
  }

  const files: Files = {
    async list(path, { recursive = false } = {}) {
      const names = splitPath(path, 'directory');
      const found = find(names);
      if (found === undefined) return [];
      if (!(found instanceof Map)) throw notADirectory(path);
      return [...entriesOf(found, names, recursive)].toSorted(byPath);
    },

    async stat(path, { within = '/' } = {}) {
      splitWithin(path, within);
      const file = findFile(path);
      return file && { size: file.size, revision: file.revision, modified: file.modified };
    },

    async read(path, { within = '/', start = 0, length = Infinity } = {}) {
      splitWithin(path, within);
      const file = findFile(path);
      if (file === undefined) throw fileNotFound(path);
      return { bytes: file.bytes(start, start + length), revision: file.revision };
    },

    async readText(path, options) {
      return asText(path, await files.read(path, options));
    },

    async write(path, data, { ifRevision } = {}) {
      const bytes = encodeContent(data);
      checkSize(path, bytes.length, maxBytes);
      checkFileRevision(path, ifRevision, findFile(path)?.revision);
      return put(path, new MemoryFile(bytes));
    },

    async append(path, data) {
      const bytes = encodeContent(data);
      const file = findFile(path);
      checkSize(path, (file?.size ?? 0) + bytes.length, maxBytes);
      if (file === undefined) return put(path, new MemoryFile(bytes));
      file.append(bytes);
      return put(path, file);
    },

    async remove(path, { recursive = false } = {}) {
      const names = splitRemoved(path, recursive);
      const found = recursive ? find(names) : findFile(path);
      return found !== undefined && removeEntry(root, names);
    },
  };
  return files;
}

/** A byte buffer that grows by doubling, so appending costs only the appended bytes. */
class MemoryFile {
  revision = '';
  modified = 0;
  size: number;
  #buffer: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#buffer = Uint8Array.from(bytes);
    this.size = bytes.length;
  }

  /** Returns a copy, which the reader may change. */
  bytes(start: number, end: number): Uint8Array {
    return this.#buffer.slice(start, Math.min(end, this.size));
  }

  append(bytes: Uint8Array): void {
    const size = this.size + bytes.length;
    if (size > this.#buffer.length) {
      const larger = new Uint8Array(size * 2);
      larger.set(this.#buffer.subarray(0, this.size));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.size);
    this.size = size;
  }
}

function* entriesOf(
  directory: Directory,
  names: readonly string[],
  recursive: boolean,
): Generator<FileEntry, void, undefined> {
  for (const [name, entry] of directory) {
    const path = joinPath([...names, name]);
    yield { path, kind: entry instanceof Map ? 'directory' : 'file' };
    if (recursive && entry instanceof Map) yield* entriesOf(entry, [...names, name], true);
  }
}

/** Removes an existing file or directory, and the parent directories that become empty. */
function removeEntry(directory: Directory, [name = '', ...rest]: readonly string[]): boolean {
  const entry = directory.get(name);
  if (rest.length === 0) return directory.delete(name);
  if (!(entry instanceof Map)) return false;
  const removed = removeEntry(entry, rest);
  if (entry.size === 0) directory.delete(name);
  return removed;
}
