import type { Files } from '@shallot/core/files';
import { reasonOf } from '@shallot/core/plugin';

import { findImports, resolveImport } from './find-imports.ts';
import { markOf, readMemoryFile, unfitCode } from './read-memory-file.ts';
import { spendBudget, type CutFile, type MemoryEntry } from './spend-budget.ts';
import { splitMarkdown, withClosedFence } from './split-markdown.ts';

/** The maximum depth of imports; a file imported by a source has depth 1. */
const maxDepth = 5;
/** The maximum number of imports, for all sources together. */
const maxImports = 100;

/** A skipped import, and the reason. */
export interface SkippedImport {
  readonly path: string;
  readonly from: string;
  readonly reason: string;
}

/** The sources and what they import, as text for a model; plain JSON. */
export interface LoadedMemory {
  /** All files, each below its path; empty if there is no memory. */
  readonly text: string;
  /** The files in the text, in order. */
  readonly files: readonly string[];
  /**
   * The marks by path, which show if a file has changed since. Files that were looked for and not found have one,
   * too.
   */
  readonly marks: Readonly<Record<string, string | null>>;
  readonly cut: readonly CutFile[];
  readonly skipped: readonly SkippedImport[];
}

/**
 * Reads the sources and their imports. A later source is more specific than an earlier one.
 * @throws `memory/FILE_FAILED`
 */
export async function loadMemory(
  files: Files,
  sources: readonly string[],
  maxBytes: number,
): Promise<LoadedMemory> {
  // All sources are marked before an import is followed, so that a source that another one imports stays in its own
  // place.
  const marks = new Map<string, string | null>(sources.map((source) => [source, null]));
  const loading: Loading = { files, marks, skipped: [], imports: 0 };
  const entries: MemoryEntry[][] = [];
  for (const source of sources) entries.push(await loadSource(loading, source));
  // Sources with the same text may be links to each other, or copies. The text is sent once, in the later place.
  const texts = entries.map(([entry]) => (entry?.depth === 0 ? entry.text : undefined));
  for (const [index, own] of entries.entries()) {
    if (texts[index] !== undefined && texts.indexOf(texts[index], index + 1) !== -1) own.shift();
  }
  const spent = spendBudget(entries, maxBytes);
  return { ...spent, marks: Object.fromEntries(marks), skipped: loading.skipped };
}

/** Returns true if no file has changed since it was loaded. @throws `memory/FILE_FAILED` */
export async function isUnchanged(
  files: Files,
  sources: readonly string[],
  marks: LoadedMemory['marks'],
): Promise<boolean> {
  const compared = await Promise.all(
    Object.entries(marks).map(
      async ([path, mark]) => (await markOf(files, path, { own: sources.includes(path) })) === mark,
    ),
  );
  return compared.every(Boolean);
}

interface Loading {
  readonly files: Files;
  readonly marks: Map<string, string | null>;
  readonly skipped: SkippedImport[];
  imports: number;
}

/** A path mentioned in the file `from`. */
interface Mention {
  readonly written: string;
  readonly from: string;
}

/** Returns a source followed by its imports, nearest first. */
async function loadSource(loading: Loading, source: string): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  const file = await readMemoryFile(loading.files, source, { own: true });
  loading.marks.set(source, file?.revision ?? null);
  let level = file === undefined ? [] : addEntry(entries, { path: source, text: file.text, depth: 0 });
  for (let depth = 1; level.length > 0; depth += 1) {
    let next: Mention[] = [];
    for (const mention of level) {
      const imported = await readImport(loading, mention, depth);
      if (imported !== undefined) next = next.concat(addEntry(entries, { ...imported, depth }));
    }
    level = next;
  }
  return entries;
}

/** Adds the part of a file that may be sent, and returns the paths that the file mentions. */
function addEntry(entries: MemoryEntry[], { path, text, depth }: MemoryEntry): Mention[] {
  const parts = splitMarkdown(text.replaceAll('\r\n', '\n'));
  const shown = parts.map((part) => (part.kind === 'comment' ? '' : part.text)).join('');
  const trimmed = shown.replace(/^\s*\n/, '').trimEnd();
  if (trimmed !== '') entries.push({ path, text: withClosedFence(trimmed), depth });
  return findImports(parts).map((written) => ({ written, from: path }));
}

/**
 * Returns the text of an import; undefined if it is not followed. A path without a file is not an import: `@ada` may
 * be a person.
 */
async function readImport(
  loading: Loading,
  { written, from }: Mention,
  depth: number,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const { files, marks, skipped } = loading;
  const path = resolveImport(written, from);
  if (path === '/' || (path !== undefined && marks.has(path))) return undefined;
  const skip = (reason: string): undefined => void skipped.push({ path: path ?? written, from, reason });
  loading.imports += 1;
  if (loading.imports > maxImports) {
    // Reported once, since there may be many.
    return loading.imports === maxImports + 1 ? skip(`there are more than ${maxImports} imports`) : undefined;
  }
  if (path === undefined) return skip('it leaves the root');
  if (depth > maxDepth) {
    const isThere = (await markOf(files, path)) !== null;
    return isThere ? skip(`it is more than ${maxDepth} imports away from its source`) : undefined;
  }
  try {
    const file = await readMemoryFile(files, path);
    marks.set(path, file?.revision ?? null);
    return file && { path, text: file.text };
  } catch (error) {
    const code = unfitCode(error);
    if (code === undefined) throw error;
    marks.set(path, code);
    // The files' own reason is used, without the advice for sources.
    return skip(reasonOf(error instanceof Error ? error.cause : error));
  }
}
