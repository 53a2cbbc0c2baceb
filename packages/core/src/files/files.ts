/** `revision` changes whenever the content does, and never comes back. */
export interface FileStat {
  readonly size: number;
  readonly revision: string;
}

/** A file's content, with the revision it had. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly revision: string;
}

export interface FileEntry {
  /** The absolute path. */
  readonly path: string;
  /** `other` is what cannot be opened: a link that leads out or nowhere, a pipe, a device. Only with `all`. */
  readonly kind: 'file' | 'directory' | 'other';
}

export interface ListOptions {
  /** The whole tree. Default: false. */
  readonly recursive?: boolean;
  /** Also what cannot be opened. Default: false. */
  readonly all?: boolean;
}

export interface WriteOptions {
  /** Write only if the file still has this revision; `null`: only if there is none. Else `FILE_CONFLICT`. */
  readonly ifRevision?: string | null;
}

export interface ReadOptions {
  /** A directory that the path is in, and that no link on the way may lead out of: else `FILE_PATH`. Default: the root. */
  readonly within?: string;
}

/**
 * Where plugins and tools read and write documents. Paths are absolute and `/`-separated, whatever the machine has.
 * Every method rejects with a `ShallotError` whose code begins with `FILE_`.
 */
export interface Files {
  /**
   * The entries of a directory by path, with `recursive` those of the whole tree. A directory that is not there is
   * empty. @throws `FILE_KIND` for a file
   */
  list(path: string, options?: ListOptions): Promise<readonly FileEntry[]>;
  /** Undefined when there is nothing. @throws `FILE_KIND` for a directory, or anything else that is not a file */
  stat(path: string, options?: ReadOptions): Promise<FileStat | undefined>;
  /** @throws `FILE_NOT_FOUND`, `FILE_TOO_LARGE`; `FILE_KIND` as `stat` does */
  read(path: string, options?: ReadOptions): Promise<FileContent>;
  /** The content as UTF-8, without a byte order mark. @throws also `FILE_KIND` when it is not UTF-8 */
  readText(
    path: string,
    options?: ReadOptions,
  ): Promise<{ readonly text: string; readonly revision: string }>;
  /** Replaces the whole file at once, making directories as needed; gives the new revision. */
  write(path: string, data: string | Uint8Array, options?: WriteOptions): Promise<string>;
  /** Adds to the end, making the file as needed, at a cost that does not grow with it; gives the new revision. */
  append(path: string, data: string | Uint8Array): Promise<string>;
  /** Removes a file; false when there is nothing. @throws `FILE_KIND` as `stat` does */
  remove(path: string): Promise<boolean>;
}

export interface FilesOptions {
  /** The largest file that is read or written. Default: 64 MiB. */
  readonly maxBytes?: number;
}

export const defaultMaxBytes = 64 * 1024 * 1024;
