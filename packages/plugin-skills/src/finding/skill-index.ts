import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Files } from '@shallot/core/files';

import manifest from '../../package.json' with { type: 'json' };
import type { ParsedSkill } from '../parsing/parse-skill.ts';
import { cacheFolder } from './cache-folder.ts';
import { revisionOf } from './find-skill-file.ts';
import type { Skill, SkillNotice, SkillSet } from './load-skills.ts';

/** The inputs, other than files, that decide which skills are found. */
export interface IndexKey {
  readonly directory: string;
  readonly sources: readonly string[];
  readonly depth: number;
}

/** The file of an index: each skill file once, with what was found in it. */
interface IndexFile {
  readonly version: string;
  readonly read: readonly (readonly [path: string, revision: string, parsed: ParsedSkill])[];
  /** The skills that count, in the order of their names. */
  readonly skills: readonly (readonly [path: string, directory: string, source: string])[];
  readonly notices: readonly SkillNotice[];
}

/** The most files that are checked before an index is used. */
const samples = 16;

/**
 * Keeps the skills that the previous process found, in the user's cache folder, so that a first run need not read thousands of
 * files. It is a hint: an index of other files, a damaged one, or a folder that cannot be written only costs time.
 */
export class SkillIndex {
  readonly #file: string;
  #saving: Promise<void> = Promise.resolve();

  constructor(key: IndexKey) {
    const name = createHash('sha256').update(JSON.stringify([key.directory, key.sources, key.depth]));
    this.#file = join(cacheFolder(), `${name.digest('hex').slice(0, 32)}.json`);
  }

  /**
   * Returns the skills found before in these files; undefined without a usable index, or if they are other files, or many
   * have changed.
   */
  async load(files: Files): Promise<SkillSet | undefined> {
    try {
      if (!(await isOwn(cacheFolder()))) return undefined;
      // The content is checked below. Invalid content throws, or does not match the files.
      const index = JSON.parse(await readFile(this.#file, 'utf8')) as IndexFile;
      if (index.version !== manifest.version) return undefined;
      const set = setOf(index);
      return (await isOf(files, set)) ? set : undefined;
    } catch {
      // An unreadable index is rebuilt.
      return undefined;
    }
  }

  /** Stores the results for the next process. Never rejects. */
  save(set: SkillSet): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write(set)).catch(() => {});
    return this.#saving;
  }

  /** Waits for pending writes. */
  settle(): Promise<void> {
    return this.#saving;
  }

  async #write(set: SkillSet): Promise<void> {
    const all = [...set.skills.values(), ...set.userOnly.values()];
    const index: IndexFile = {
      version: manifest.version,
      read: [...set.read].map(([path, { revision, parsed }]) => [path, revision, parsed]),
      skills: all.map(({ path, directory, source }) => [path, directory, source]),
      notices: set.notices,
    };
    await mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
    if (!(await isOwn(cacheFolder()))) return;
    const draft = `${this.#file}.${process.pid}`;
    try {
      await writeFile(draft, JSON.stringify(index), { mode: 0o600 });
      await rename(draft, this.#file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}

function setOf({ read, skills, notices }: IndexFile): SkillSet {
  const files = new Map(read.map(([path, revision, parsed]) => [path, { revision, parsed }]));
  const found = skills.map(([path, directory, source]): [string, Skill] => {
    const file = files.get(path);
    if (file === undefined || !('facts' in file.parsed)) throw new Error(`${path} is no skill of the index`);
    const { facts } = file.parsed;
    if (typeof facts.name !== 'string' || typeof facts.description !== 'string')
      throw new Error(`${path} has no name in the index`);
    return [facts.name, { ...facts, path, directory, source, revision: file.revision }];
  });
  return {
    skills: new Map(found.filter(([, { userOnly }]) => userOnly !== true)),
    userOnly: new Map(found.filter(([, { userOnly }]) => userOnly === true)),
    notices,
    read: files,
  };
}

/** Returns whether the index is about these files: most files of a sample have the revision in the index. */
async function isOf(files: Files, { read }: SkillSet): Promise<boolean> {
  const all = [...read];
  const step = Math.max(1, Math.floor(all.length / samples));
  const some = all.filter((_, at) => at % step === 0).slice(0, samples);
  const same = await Promise.all(
    some.map(async ([path, { revision }]) => (await revisionOf(files, path).catch(() => '')) === revision),
  );
  return same.filter(Boolean).length * 2 > some.length;
}

/**
 * Returns whether a folder belongs to the user and nobody else can write to it, because an index decides which calls
 * need no approval.
 */
async function isOwn(folder: string): Promise<boolean> {
  const { uid, mode } = await stat(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}
