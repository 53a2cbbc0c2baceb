import type { Files } from '@shallot/core/files';
import { reasonOf } from '@shallot/core/plugin';

import { parseSkill, type ParsedSkill, type SkillFacts } from '../parsing/parse-skill.ts';
import { nameOf, revisionOf } from './find-skill-file.ts';
import { areUsual } from './usual-sources.ts';
import { defaultDepth, walkSource, type FoundSkill } from './walk-source.ts';

/** A skill found in a source. */
export interface Skill extends SkillFacts {
  /** Path of its SKILL.md. */
  readonly path: string;
  readonly directory: string;
  /** The source that contains it. */
  readonly source: string;
  /** Revision of its SKILL.md. */
  readonly revision: string;
}

/** A notice from the search: a skipped file, an oddity, a nested skill, or a skill shadowed by another. */
export type SkillNotice =
  | { readonly kind: 'skipped' | 'odd' | 'nested'; readonly path: string; readonly reason: string }
  | { readonly kind: 'shadowed'; readonly path: string; readonly name: string; readonly by: string };

/** The skills found in a list of sources. */
export interface SkillSet {
  /** Skills that a model may read, by name, in the order of their names. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** Skills that only a person may call, in the same form. */
  readonly userOnly: ReadonlyMap<string, Skill>;
  readonly notices: readonly SkillNotice[];
  /** Parsed files by path, for the next search. */
  readonly read: ReadonlyMap<string, ReadFile>;
}

interface ReadFile {
  readonly revision: string;
  readonly parsed: ParsedSkill;
}

/** The number of files examined in parallel. */
const concurrency = 16;

export interface LoadOptions {
  /** Levels below a source to search. Default: 6. */
  readonly depth?: number;
  /** Result of an earlier search; unchanged files are not read again. */
  readonly earlier?: SkillSet | undefined;
  /** Aborts the search, which then rejects. */
  readonly signal?: AbortSignal;
}

/**
 * Finds the skills in a list of sources. A source is a directory of one skill, or contains skills at any level down to
 * `depth`. If two skills share a name, the one from the later source counts, and within a source the later path. A
 * faulty skill or source does not hide others.
 */
export async function loadSkills(
  files: Files,
  sources: readonly string[],
  { depth = defaultDepth, earlier, signal }: LoadOptions = {},
): Promise<SkillSet> {
  const loading: Loading = { files, depth, signal, earlier: earlier?.read ?? new Map(), read: new Map() };
  const skills = new Map<string, Skill>();
  const notices: SkillNotice[] = [];
  // The default sources are only conventions, so missing ones are normal.
  const isAnyEnough = areUsual(sources);
  for (const source of sources) {
    const all = await findIn(loading, source);
    if (all.length === 0 && !isAnyEnough) {
      notices.push({ kind: 'skipped', path: source, reason: emptyReason(depth) });
    }
    for (const found of all) {
      const { path } = found;
      if ('reason' in found) {
        // A failing file service fails for all default sources, and is reported once.
        if (isAnyEnough && path === source && notices.some((notice) => isSameFault(notice, found))) continue;
        notices.push({ kind: found.kind, path, reason: found.reason });
        continue;
      }
      const { skill, oddities } = found;
      const other = skills.get(skill.name);
      // Directories may link to each other, so the same file may be found twice.
      if (other !== undefined && other.revision !== skill.revision)
        notices.push({ kind: 'shadowed', path: other.path, name: skill.name, by: path });
      for (const reason of oddities) notices.push({ kind: 'odd', path, reason });
      skills.set(skill.name, skill);
    }
  }
  const byName = [...skills].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    skills: new Map(byName.filter(([, skill]) => skill.userOnly !== true)),
    userOnly: new Map(byName.filter(([, skill]) => skill.userOnly === true)),
    notices,
    read: loading.read,
  };
}

function isSameFault(notice: SkillNotice, { reason }: { readonly reason: string }): boolean {
  return 'reason' in notice && notice.reason === reason;
}

interface Loading {
  readonly files: Files;
  readonly depth: number;
  readonly signal: AbortSignal | undefined;
  readonly earlier: ReadonlyMap<string, ReadFile>;
  readonly read: Map<string, ReadFile>;
}

type Found =
  | { readonly path: string; readonly skill: Skill; readonly oddities: readonly string[] }
  | { readonly kind: 'skipped' | 'nested'; readonly path: string; readonly reason: string };

const nestedReason = 'it lies within another skill, and is not a skill of its own';

async function findIn(loading: Loading, source: string): Promise<readonly Found[]> {
  const { skills, nested, failed } = await walkSource(loading.files, source, loading.depth, loading.signal);
  const found: Found[] = failed.map(({ path, reason }) => ({ kind: 'skipped', path, reason }));
  for (let from = 0; from < skills.length; from += concurrency) {
    loading.signal?.throwIfAborted();
    const batch = skills.slice(from, from + concurrency);
    found.push(...(await Promise.all(batch.map((skill) => readSkill(loading, skill, source)))));
  }
  found.push(...nested.map((path): Found => ({ kind: 'nested', path, reason: nestedReason })));
  return found;
}

function emptyReason(depth: number): string {
  return `it contains no skill: no SKILL.md in it or in its subdirectories, to a depth of ${depth}`;
}

async function readSkill(loading: Loading, { directory, path }: FoundSkill, source: string): Promise<Found> {
  try {
    const found = await revisionOf(loading.files, path);
    if (found === undefined) throw new Error('it was removed while skills were being looked for');
    const { parsed, revision } = await readFile(loading, path, found, nameOf(directory));
    if ('reason' in parsed) return { kind: 'skipped', path, reason: parsed.reason };
    return { path, skill: { ...parsed.facts, path, directory, source, revision }, oddities: parsed.oddities };
  } catch (error) {
    return { kind: 'skipped', path, reason: reasonOf(error) };
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
