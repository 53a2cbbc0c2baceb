import {
  asText,
  byPath,
  checkFileRevision,
  checkSize,
  encodeContent,
  fileNotFound,
  joinPath,
  notADirectory,
  notAFile,
  splitPath,
  splitRemoved,
  splitWithin,
  type FileEntry,
  type Files,
  type FilesOptions,
} from '@shallot/core/files';

import { Database } from '../database/database.ts';
import { checkOptions, type PostgresStoreOptions } from '../options.ts';
import { migrateQueue } from '../queue/migrate-queue.ts';
import { FileTables } from './file-tables.ts';

/** Options of the files: those of the connection, as for the store, and `maxBytes`, which is 10 MiB by default. */
export type PostgresFilesOptions = FilesOptions &
  Pick<
    PostgresStoreOptions,
    'url' | 'schema' | 'poolSize' | 'connectTimeoutMs' | 'queryTimeoutMs' | 'retryMs' | 'ca' | 'migrate'
  >;

/** Files in PostgreSQL, with a connection pool to close. */
export interface PostgresFiles extends Files {
  close(): Promise<void>;
}

/** The default of `maxBytes`. It is lower than that of `diskFiles` and `memoryFiles`. */
const defaultMaxBytes = 10 * 2 ** 20;

/** Keeps files in the tables of the store. A directory exists as long as it contains a file. @throws `OPTION_INVALID` */
export function postgresFiles({
  maxBytes = defaultMaxBytes,
  ...options
}: PostgresFilesOptions): PostgresFiles {
  const database = new Database(checkOptions(options), migrateQueue);
  const tables = new FileTables(database);

  const files: PostgresFiles = {
    async list(path, { recursive = false } = {}) {
      const names = splitPath(path, 'directory');
      if (names.length > 0 && (await tables.rowOf(names)) !== undefined) throw notADirectory(path);
      return entriesOf(await tables.pathsUnder(names), names.length, recursive);
    },

    async stat(path, { within = '/' } = {}) {
      splitWithin(path, within);
      const row = await tables.fileAt(path);
      return row && { size: row.size, revision: row.revision };
    },

    async read(path, { within = '/', start = 0, length = Infinity } = {}) {
      splitWithin(path, within);
      const names = splitPath(path);
      const content = await tables.read(names, start, Math.min(start + length, Number.MAX_SAFE_INTEGER));
      if (content !== undefined) return content;
      throw (await tables.isDirectory(names)) ? notAFile(path, 'a directory') : fileNotFound(path);
    },

    async readText(path, reading) {
      return asText(path, await files.read(path, reading));
    },

    async write(path, data, { ifRevision } = {}) {
      const bytes = encodeContent(data);
      checkSize(path, bytes.length, maxBytes);
      return tables.change(path, async (client, row) => {
        checkFileRevision(path, ifRevision, row?.revision);
        const whole = joinPath(splitPath(path));
        const revision = await tables.put(client, whole, bytes.length);
        await tables.clear(client, whole);
        await tables.add(client, whole, 0, bytes);
        return revision;
      });
    },

    async append(path, data) {
      const bytes = encodeContent(data);
      return tables.change(path, async (client, row) => {
        const size = row?.size ?? 0;
        checkSize(path, size + bytes.length, maxBytes);
        const whole = joinPath(splitPath(path));
        const revision = await tables.put(client, whole, size + bytes.length);
        await tables.add(client, whole, size, bytes);
        return revision;
      });
    },

    async remove(path, { recursive = false } = {}) {
      const names = splitRemoved(path, recursive);
      if (recursive) return tables.removeTree(names);
      return (await tables.fileAt(path)) !== undefined && tables.remove(names);
    },

    close: () => database.close(),
  };
  return files;
}

/** Returns the entries of a directory with `depth` names, from the paths of the files below it. */
function entriesOf(paths: readonly string[], depth: number, recursive: boolean): FileEntry[] {
  const entries = new Map<string, FileEntry>();
  for (const path of paths) {
    const names = path.slice(1).split('/');
    const deepest = recursive ? names.length : depth + 1;
    for (let length = depth + 1; length <= deepest; length += 1) {
      const found = joinPath(names.slice(0, length));
      entries.set(found, { path: found, kind: length === names.length ? 'file' : 'directory' });
    }
  }
  return [...entries.values()].toSorted(byPath);
}
