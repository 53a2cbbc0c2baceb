import type { FileEntry, Files } from '@shallot/core/files';
import { reasonOf } from '@shallot/core/plugin';

import { nameOf, skillFileIn } from './find-skill-file.ts';

/** The findings in a source. */
export interface SourceWalk {
  /** The skills, in path order. */
  readonly skills: readonly FoundSkill[];
  /** The skill files that lie within another skill. */
  readonly nested: readonly string[];
  /** Paths that could not be read, with reasons. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

/** A directory with a skill file. */
export interface FoundSkill {
  readonly directory: string;
  readonly path: string;
}

/** The maximum depth below a source. */
export const defaultDepth = 6;
/** The most directories that are visited, since links may lead in circles, and sources may be whole disks. */
const maxDirectories = 50_000;
/** The number of directories listed in parallel. */
const concurrency = 16;

const unreachableReason = 'it is a link that is broken or leaves the files, a pipe, a socket or a device';

interface Visit {
  readonly directory: string;
  readonly isInSkill: boolean;
  /** True if a link leads there. */
  readonly isLinked: boolean;
}

/**
 * Finds the skills in a source down to a depth. The source may be a skill itself. Hidden directories and
 * `node_modules` are left out, and skill files within a skill are not skills of their own.
 */
export async function walkSource(
  files: Files,
  source: string,
  depth: number,
  signal?: AbortSignal,
): Promise<SourceWalk> {
  const skills: FoundSkill[] = [];
  const nested: string[] = [];
  const failed: { path: string; reason: string }[] = [];
  let level: Visit[] = [{ directory: source, isInSkill: false, isLinked: false }];
  let visited = 0;
  for (let at = 0; level.length > 0; at += 1) {
    signal?.throwIfAborted();
    visited += level.length;
    if (visited > maxDirectories) {
      failed.push({
        path: source,
        reason: `it has more than ${maxDirectories} directories. Name more specific sources`,
      });
      break;
    }
    const next: Visit[] = [];
    for (const { visit, entries } of await listAll(files, level, failed)) {
      const path = skillFileIn(entries);
      if (path !== undefined && visit.isInSkill) nested.push(path);
      else if (path !== undefined) skills.push({ directory: visit.directory, path });
      const isInSkill = visit.isInSkill || path !== undefined;
      if (visit.isLinked && path !== undefined) files.protect?.(`${visit.directory}/**`, 'state');
      for (const entry of entries.filter(isInteresting)) {
        const isLinked = visit.isLinked || entry.link === true;
        if (entry.link === true) protectLinked(files, entry);
        if (entry.kind === 'directory' && at < depth)
          next.push({ directory: entry.path, isInSkill, isLinked });
        // Files inside a skill belong to it.
        if (entry.kind === 'other' && !isInSkill)
          failed.push({ path: entry.path, reason: unreachableReason });
      }
    }
    level = next;
  }
  return { skills: skills.toSorted(byDirectory), nested, failed };
}

/** Protects the file, or the skill files, to which a link leads, because they are outside of the protected source. */
function protectLinked(files: Files, { path, kind }: FileEntry): void {
  files.protect?.(kind === 'directory' ? `${path}/**/skill.md` : path, 'state');
}

/** Lists directories; those that cannot be listed go to `failed`. */
async function listAll(
  files: Files,
  visits: readonly Visit[],
  failed: { path: string; reason: string }[],
): Promise<readonly { readonly visit: Visit; readonly entries: readonly FileEntry[] }[]> {
  const listed: { visit: Visit; entries: readonly FileEntry[] }[] = [];
  for (let from = 0; from < visits.length; from += concurrency) {
    const batch = visits.slice(from, from + concurrency).map(async (visit) => {
      try {
        return { visit, entries: await files.list(visit.directory, { all: true }) };
      } catch (error) {
        failed.push({ path: visit.directory, reason: reasonOf(error) });
        return { visit, entries: [] };
      }
    });
    listed.push(...(await Promise.all(batch)));
  }
  return listed;
}

function isInteresting({ path }: FileEntry): boolean {
  const name = nameOf(path);
  return !name.startsWith('.') && name !== 'node_modules';
}

function byDirectory(one: FoundSkill, other: FoundSkill): number {
  return one.directory < other.directory ? -1 : 1;
}
