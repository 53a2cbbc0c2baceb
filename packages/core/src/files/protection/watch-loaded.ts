import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { thisStart } from '../../base/this-process.ts';
import type { LoadedGlob, LoadedSources } from './loaded-files.ts';
import { isSealed } from './seal.ts';

/** The digests of loaded files when a session began to run; `missing` for a file that could not be read. */
export type Digests = Readonly<Record<string, string>>;

/**
 * The content of a file beside a config, which a process keeps while its sessions run, and afterwards if a loaded file
 * has changed meanwhile.
 */
export interface LoadedRecord {
  readonly format: 1;
  readonly pid: number;
  readonly started?: string;
  readonly files: Digests;
  readonly globs: readonly LoadedGlob[];
}

/** Returns the directory of the records for a config in this directory. */
export function recordsIn(directory: string): string {
  return join(directory, '.shallot', 'loaded');
}

/** The watches, by the directory of the config. */
const watches = new Map<string, LoadedWatch>();

/** The watches of the configs, by the store of the agents that they describe. */
const byStore = new WeakMap<object, Set<LoadedWatch>>();

/**
 * Watches the files that an agent was loaded from: a record beside the config shows which of them have changed while
 * sessions in this store ran.
 */
export function watchLoaded(directory: string, sources: LoadedSources, store: object): void {
  const watch = watches.get(directory) ?? new LoadedWatch(directory);
  watch.add(sources);
  watches.set(directory, watch);
  byStore.set(store, (byStore.get(store) ?? new Set()).add(watch));
}

/** Notes that a run begins. Returns a function to call at its end; undefined if no config describes an agent of this store. */
export function watchRun(store: object): (() => void) | undefined {
  const own = byStore.get(store);
  return own && watchAll([...own]);
}

function watchAll(begun: readonly LoadedWatch[]): () => void {
  for (const watch of begun) watch.begin();
  return () => begun.forEach((watch) => watch.end());
}

/** Notes that the file service has written a file: that change was allowed. */
export function noteWritten(path: string): void {
  for (const watch of watches.values()) watch.accept(path);
}

/** Accepts the loaded files of a directory in their current state. */
export function acceptLoaded(directory: string): void {
  watches.get(directory)?.acceptAll();
}

class LoadedWatch {
  readonly #directory: string;
  readonly #record: string;
  #running = 0;
  /** The digests from the beginning of a run. Digests of changed files stay until the changes are accepted. */
  #before = new Map<string, string>();
  readonly #files = new Set<string>();
  readonly #loadedGlobs = new Map<string, LoadedGlob>();
  #globs: readonly LoadedGlob[] = [];

  constructor(directory: string) {
    this.#directory = directory;
    this.#record = join(recordsIn(directory), `${process.pid}-${thisStart().started ?? 0}.json`);
  }

  /** Adds the sources of the config, each time it is loaded. */
  add({ files, globs }: LoadedSources): void {
    for (const file of files) this.#files.add(file);
    for (const [name, glob] of globs) this.#loadedGlobs.set(name, glob);
  }

  begin(): void {
    this.#running += 1;
    if (this.#running > 1) return;
    this.#globs = [...this.#loadedGlobs.values()];
    for (const file of [...this.#files, ...filesOf(this.#globs)])
      if (!this.#before.has(file)) this.#before.set(file, digestOf(file));
    this.#write();
  }

  end(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const file of filesOf(this.#globs)) if (!this.#before.has(file)) this.#before.set(file, 'missing');
    const changed = [...this.#before].filter(([file, digest]) => hasChanged(file, digest));
    if (changed.length > 0) this.#write();
    else ifWritable(() => rmSync(this.#record));
    this.#before = new Map(changed);
  }

  accept(path: string): void {
    for (const file of this.#before.keys())
      if (file === path || realPathOf(file) === path) this.#before.set(file, digestOf(file));
    if (this.#running > 0) this.#write();
  }

  acceptAll(): void {
    for (const file of this.#before.keys()) this.#before.set(file, digestOf(file));
    if (this.#running > 0) this.#write();
    else this.#before.clear();
  }

  #write(): void {
    const files = Object.fromEntries(this.#before);
    const record: LoadedRecord = { format: 1, pid: process.pid, ...thisStart(), files, globs: this.#globs };
    ifWritable(() => {
      mkdirSync(recordsIn(this.#directory), { recursive: true, mode: 0o700 });
      writeFileSync(this.#record, JSON.stringify(record));
    });
  }
}

function ifWritable(change: () => void): void {
  try {
    change();
  } catch {
    // If nothing can be written beside the config, as in a container image, nobody can change it either.
  }
}

/** Returns the files that match the globs of modules now. */
export function filesOf(globs: readonly LoadedGlob[]): readonly string[] {
  return globs.flatMap(({ directory, glob }) =>
    globSync(glob, { cwd: directory }).map((file) => resolve(directory, file)),
  );
}

/** Returns true if a file differs from its digest, unless a process of this project has sealed its current content. */
export function hasChanged(file: string, digest: string): boolean {
  const now = digestOf(file);
  return now !== digest && (now === 'missing' || !isSealed(readFileSync(file, 'utf8'), file));
}

/** Returns the digest of a file's contents; `missing` if it is not a readable file. */
export function digestOf(file: string): string {
  try {
    if (!statSync(file).isFile()) return 'missing';
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    // A file that cannot be read cannot be loaded.
    return 'missing';
  }
}

function realPathOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    // A path that does not exist is used as it is.
    return file;
  }
}
