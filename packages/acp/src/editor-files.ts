import { basename } from 'node:path';

import { mountFiles, type Files } from '@shallot/core/files';

import type { EditorContext } from './served-agent.ts';
import { unsavedFiles } from './unsaved-files.ts';

/** Opens the files of a directory. `through` converts the files on disk to the files of the run. */
export type OpenDirectory = (root: string, through?: (disk: Files) => Files) => Files;

/** The files of sessions, which are made once. */
const made = new WeakMap<EditorContext, Files>();

/**
 * Returns the files of a run that an editor began. Its `cwd` is the root, and the editor's other directories are
 * below `/roots/`. If the context has buffers, files have the content that the editor shows. Returns undefined for
 * the context of any other run.
 */
export function editorFiles(context: unknown, open: OpenDirectory): Files | undefined {
  if (!isEditorContext(context)) return undefined;
  const files = made.get(context) ?? makeFiles(context, open);
  made.set(context, files);
  return files;
}

function makeFiles({ cwd, roots = {}, buffers }: EditorContext, open: OpenDirectory): Files {
  const through = buffers === undefined ? undefined : (disk: Files): Files => unsavedFiles(disk, buffers);
  const own = open(cwd, through);
  const others = Object.entries(roots).map(
    ([place, directory]) => [place, open(directory, through)] as const,
  );
  return others.length === 0 ? own : mountFiles({ '/': own, ...Object.fromEntries(others) });
}

/** Returns true for the context of a run that an editor began. */
export function isEditorContext(context: unknown): context is EditorContext {
  return (
    typeof context === 'object' && context !== null && 'cwd' in context && typeof context.cwd === 'string'
  );
}

/** Returns the places of further directories in the files of a session, by their names. */
export function placesOf(directories: readonly string[]): Readonly<Record<string, string>> {
  const roots: Record<string, string> = {};
  for (const directory of new Set(directories)) {
    const name = basename(directory) || 'root';
    let place = `/roots/${name}/`;
    for (let count = 2; place in roots; count += 1) place = `/roots/${name}-${count}/`;
    roots[place] = directory;
  }
  return roots;
}
