/** The size and revision of a file. `revision` changes with every change of the content and is never reused. */
export interface FileStat {
  readonly size: number;
  readonly revision: string;
  /** The number of hard links to the file, if there are several: a change is seen through all of them. */
  readonly links?: number;
  /** When the content changed last, in milliseconds since 1970, if that is known. */
  readonly modified?: number;
}

/** The content of a file and its revision. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly revision: string;
}

/** An entry of a directory. */
export interface FileEntry {
  /** The absolute path. */
  readonly path: string;
  /**
   * `other` is an entry that cannot be opened, such as a link that leads outside or nowhere, a pipe or a device. Listed
   * only with `all`.
   */
  readonly kind: 'file' | 'directory' | 'other';
  /** The entry is a link. A recursive listing does not go through it. */
  readonly link?: true;
}

/** An option of what goes by a path. */
export interface LinkOptions {
  /**
   * True for a path as `realPath` returned it: if a link has come into it since, it is refused with `FILE_PATH`. A link that is
   * itself removed is none in the path. Default: false.
   */
  readonly noLinks?: boolean;
}

/** Options of `list`. */
export interface ListOptions extends LinkOptions {
  /** Lists the whole tree. Default: false. */
  readonly recursive?: boolean;
  /** Also lists entries that cannot be opened. Default: false. */
  readonly all?: boolean;
}

/** An option of what opens a single file. */
export interface OwnOptions extends LinkOptions {
  /**
   * The path is one that a plugin's own options name, not one that a model, a message or a file chose: protected files
   * are open to it. Default: false.
   */
  readonly own?: boolean;
}

/** Options of `write`. */
export interface WriteOptions extends OwnOptions {
  /**
   * Writes only if the file still has this revision, or with `null` only if no file exists; otherwise rejects with
   * `FILE_CONFLICT`.
   */
  readonly ifRevision?: string | null;
}

/** Options of `remove`. */
export interface RemoveOptions extends OwnOptions {
  /** Also removes a directory, with all that is in it. Links in it are removed, not followed. Default: false. */
  readonly recursive?: boolean;
}

/** Options of `read` and `stat`. */
export interface ReadOptions extends OwnOptions {
  /** A directory that contains the path. A link that leads out of it is refused with `FILE_PATH`. Default: the root. */
  readonly within?: string;
}

/** Options of `readBytes`: which part of the file. */
export interface ReadBytesOptions extends ReadOptions {
  /** The first byte to read, from 0. Default: 0. */
  readonly start?: number;
  /** The most bytes to read. Of a file that is larger than the limit, parts can be read. Default: all. */
  readonly length?: number;
}

/** The small files of one directory, for searches that read many. */
export interface SmallFiles {
  /**
   * Returns the content of a file of the directory, by its name, until the next call. Undefined for a large one, and for
   * whatever `read` refuses or follows.
   */
  read(name: string): Uint8Array | undefined;
  /** Call it when the directory is done. */
  close(): void;
}

/**
 * The documents that plugins and tools read and write. Paths are absolute and separated by `/` on every system. Every
 * method rejects with a `ShallotError` whose code begins with `FILE_`.
 */
export interface Files {
  /**
   * The directory of this machine that is `/` here; undefined if they are not on its disk. Read it in a run if each run
   * has files of its own.
   */
  readonly root?: string | undefined;
  /**
   * The key for what is remembered of these files: the files that a run gets have that of the agent's. Default: the
   * object itself.
   */
  readonly identity?: object | undefined;
  /**
   * Lists the entries of a directory, or with `recursive` of its whole tree, sorted by path. A missing directory is
   * empty.
   * @throws `FILE_KIND` for a file
   */
  list(path: string, options?: ListOptions): Promise<readonly FileEntry[]>;
  /**
   * Returns undefined if nothing exists at the path. @throws `FILE_KIND` for a directory, or anything else that is not
   * a file
   */
  stat(path: string, options?: ReadOptions): Promise<FileStat | undefined>;
  /**
   * Reads the whole file, or a part of it: what lies beyond its end is left out, and the revision is that of the whole.
   * @throws `FILE_NOT_FOUND`, `FILE_TOO_LARGE`; `FILE_KIND` as `stat` does
   */
  read(path: string, options?: ReadBytesOptions): Promise<FileContent>;
  /**
   * Reads a UTF-8 file as a string, without its byte order mark. @throws as `read` does; `FILE_KIND` also if it is not
   * UTF-8
   */
  readText(
    path: string,
    options?: ReadOptions,
  ): Promise<{ readonly text: string; readonly revision: string }>;
  /**
   * The path that a path stands for once its links are followed, as far as something is there. Undefined where there are
   * no links. @throws `FILE_PATH` for a link out of the root
   */
  realPath?(path: string): Promise<string>;
  /**
   * Returns true for a path without links that only `unlock` opens to tools: a person is asked about each such access, whatever the
   * rules say. Undefined where nothing is unlocked.
   */
  isUnlocked?(path: string, access: 'read' | 'write'): boolean;
  /**
   * Protects a file, or the files that fit a glob, as `protectFile` and `protectGlob` do: what a plugin loads from these files,
   * and what decides over the agent then. Undefined where the files are on no disk.
   */
  protect?(glob: string, kind: 'source' | 'state'): void;
  /**
   * Opens a directory whose small files are then read without its path being gone through for each. Undefined where that
   * gains nothing, or nothing is there: use `read`.
   */
  smallFiles?(directory: string, options?: LinkOptions): Promise<SmallFiles | undefined>;
  /** Replaces the whole file atomically, creates missing directories, and returns the new revision. */
  write(path: string, data: string | Uint8Array, options?: WriteOptions): Promise<string>;
  /**
   * Appends to the file, creates it if it is missing, and returns the new revision. The cost does not grow with the
   * file.
   */
  append(path: string, data: string | Uint8Array, options?: OwnOptions): Promise<string>;
  /**
   * Removes a file. Returns false if nothing exists at the path. @throws `FILE_KIND` as `stat` does, except for a
   * directory with `recursive`
   */
  remove(path: string, options?: RemoveOptions): Promise<boolean>;
  close?(): Promise<void>;
}

/** Options of every files service. */
export interface FilesOptions {
  /** The maximum size of a file that is read or written, in bytes. Default: 64 MiB. */
  readonly maxBytes?: number;
}

/** Options of `diskFiles`. */
export interface DiskFilesOptions extends FilesOptions {
  /**
   * Protected files that tools may use nevertheless: names listed in `docs/reference/protected-files.md`, such as
   * `.env*`, and paths of files and directories from the root, such as `/.vscode/settings.json`. Default: none.
   */
  readonly unlock?: readonly string[];
}

export const defaultMaxBytes = 64 * 1024 * 1024;
