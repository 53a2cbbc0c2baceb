/** The size and revision of a file. `revision` changes with every change of the content and is never reused. */
export interface FileStat {
  readonly size: number;
  readonly revision: string;
  /** The number of hard links to the file, if there are several: a change is seen through all of them. */
  readonly links?: number;
  /** The time of the last change of the content, in milliseconds since 1970, if known. */
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

/** An option of methods that take a path. */
export interface LinkOptions {
  /**
   * If true, a path with a link in it is refused with `FILE_PATH`. For paths that `realPath` returned, in which a link
   * may have appeared since. A link that is itself removed does not count. Default: false.
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

/** An option of methods that open a single file. */
export interface OwnOptions extends LinkOptions {
  /**
   * True if the path comes from a plugin's own options rather than from a model, a message or a file: protected files are
   * then accessible. Default: false.
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

/** Options of methods that read a file. */
export interface ReadOptions extends OwnOptions {
  /** A directory that contains the path. A link that leads out of it is refused with `FILE_PATH`. Default: the root. */
  readonly within?: string;
}

/** Options of `read`: the part of the file to read. */
export interface ReadBytesOptions extends ReadOptions {
  /** The first byte to read, from 0. Default: 0. */
  readonly start?: number;
  /** The maximum number of bytes to read. Parts can be read even of a file that is larger than `maxBytes`. Default: all. */
  readonly length?: number;
}

/** The small files of one directory, for searches that read many. */
export interface SmallFiles {
  /**
   * Returns the content of a file in the directory, by its name; valid until the next call. Undefined for a large file,
   * for a link, and for anything that `read` refuses.
   */
  read(name: string): Uint8Array | undefined;
  /** Closes the directory. */
  close(): void;
}

/**
 * The documents that plugins and tools read and write. Paths are absolute and separated by `/` on every system. Every
 * method rejects with a `ShallotError` whose code begins with `FILE_`.
 */
export interface Files {
  /**
   * The directory of this machine that `/` stands for; undefined if the files are not on its disk. If each run has its
   * own files, read it in a run.
   */
  readonly root?: string | undefined;
  /**
   * The key under which data about these files is remembered. Files for a run have the key of the agent's files. Default:
   * the object itself.
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
   * Reads the whole file, or a part of it, up to the end of the file at most. The revision is that of the whole file.
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
   * Returns the path with its links resolved, as far as it exists. Absent if these files have no links.
   * @throws `FILE_PATH` for a link out of the root
   */
  realPath?(path: string): Promise<string>;
  /**
   * Returns true if tools may access a path, which must be without links, only because of `unlock`: a person is asked
   * about each such access, whatever the rules say. Absent if nothing is unlocked.
   */
  isUnlocked?(path: string, access: 'read' | 'write'): boolean;
  /**
   * Protects a file, or the files that match a glob, like `protectFile` and `protectGlob`: for files that a plugin loads
   * from here, and that then control the agent. Absent if the files are not on a disk.
   */
  protect?(glob: string, kind: 'source' | 'state'): void;
  /**
   * Opens a directory, so that its small files are read without resolving its path for each. Absent, or resolves to
   * undefined, if that saves nothing, or if the directory does not exist: use `read`.
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
  /** The maximum size of a file that is read or written, in bytes. Default of `diskFiles` and `memoryFiles`: 64 MiB. */
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
