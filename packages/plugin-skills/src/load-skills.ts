import type { Files } from '@shallot/core/files';
import { reasonOf } from '@shallot/core/plugin';

import {
  findSkillFile,
  inDirectory,
  nameOf,
  skillDirectories,
  unreachableReason,
} from './find-skill-file.ts';
import { parseSkill, type ParsedSkill, type SkillFacts } from './parse-skill.ts';

/** A skill that was found. */
export interface Skill extends SkillFacts {
  /** Where its SKILL.md is. */
  readonly path: string;
  readonly directory: string;
  /** The source that it was found in. */
  readonly source: string;
  /** That of its SKILL.md. */
  readonly revision: string;
}

/** What was not as it should be: what counts for nothing, a skill that another replaces, an oddity. */
export type SkillNotice =
  | { readonly kind: 'skipped'; readonly path: string; readonly reason: string }
  | { readonly kind: 'shadowed'; readonly path: string; readonly name: string; readonly by: string }
  | { readonly kind: 'odd'; readonly path: string; readonly reason: string };

/** The skills of some sources. */
export interface SkillSet {
  /** By name, in the order of their names. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly notices: readonly SkillNotice[];
  /** What was made of each file, for the next time. */
  readonly read: ReadonlyMap<string, ReadFile>;
}

interface ReadFile {
  readonly revision: string;
  readonly parsed: ParsedSkill;
}

/** How many files are looked at at once. */
const concurrency = 16;

/**
 * Finds the skills of some sources: directories with a directory for each skill, or directories of one skill. Of two with
 * one name that of the later source counts. Nothing that is wrong with one skill or source hides another. Files that have
 * not changed since an `earlier` time are not read again.
 */
export async function loadSkills(
  files: Files,
  sources: readonly string[],
  earlier?: SkillSet,
): Promise<SkillSet> {
  const loading: Loading = { files, earlier: earlier?.read ?? new Map(), read: new Map() };
  const skills = new Map<string, Skill>();
  const notices: SkillNotice[] = [];
  for (const source of sources) {
    for (const found of await findIn(loading, source)) {
      const { path } = found;
      if ('reason' in found) {
        notices.push({ kind: 'skipped', path, reason: found.reason });
        continue;
      }
      const { skill, oddities } = found;
      const other = skills.get(skill.name);
      if (other !== undefined)
        notices.push({ kind: 'shadowed', path: other.path, name: skill.name, by: path });
      for (const reason of oddities) notices.push({ kind: 'odd', path, reason });
      skills.set(skill.name, skill);
    }
  }
  const byName = [...skills].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { skills: new Map(byName), notices, read: loading.read };
}

interface Loading {
  readonly files: Files;
  readonly earlier: ReadonlyMap<string, ReadFile>;
  readonly read: Map<string, ReadFile>;
}

type Found =
  | { readonly path: string; readonly skill: Skill; readonly oddities: readonly string[] }
  | { readonly path: string; readonly reason: string };

async function findIn(loading: Loading, source: string): Promise<readonly Found[]> {
  const own = await readSkill(loading, source, source);
  if (own !== undefined) return [own];
  const found: Found[] = [];
  try {
    const { directories, unreachable } = await skillDirectories(loading.files, source);
    found.push(...unreachable.map((path) => ({ path, reason: unreachableReason })));
    for (let from = 0; from < directories.length; from += concurrency) {
      const batch = directories.slice(from, from + concurrency);
      const read = await Promise.all(batch.map((directory) => readSkill(loading, directory, source)));
      found.push(...read.filter((each) => each !== undefined));
    }
  } catch (error) {
    return [{ path: source, reason: reasonOf(error) }];
  }
  if (found.length > 0) return found;
  return [{ path: source, reason: 'it contains no skill: no SKILL.md in it or in its subdirectories' }];
}

/** Undefined for a directory that is no skill's. */
async function readSkill(loading: Loading, directory: string, source: string): Promise<Found | undefined> {
  let path = directory === source ? source : inDirectory(directory, 'SKILL.md');
  try {
    const file = await findSkillFile(loading.files, directory);
    if (file === undefined) return undefined;
    ({ path } = file);
    const { parsed, revision } = await readFile(loading, path, file.revision, nameOf(directory));
    if ('reason' in parsed) return { path, reason: parsed.reason };
    return { path, skill: { ...parsed.facts, path, directory, source, revision }, oddities: parsed.oddities };
  } catch (error) {
    return { path, reason: reasonOf(error) };
  }
}

async function readFile(
  { files, earlier, read }: Loading,
  path: string,
  revision: string,
  directory: string,
): Promise<ReadFile> {
  let file = earlier.get(path);
  if (file?.revision !== revision) {
    const content = await files.readText(path);
    file = { revision: content.revision, parsed: parseSkill(content.text, directory) };
  }
  read.set(path, file);
  return file;
}
