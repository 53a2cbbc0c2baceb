import { isShallotError, type ToolCall } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import {
  messageOf,
  replaceInText,
  rewriteText,
  rootedPath,
  visible,
  type TextEdit,
} from '@shallot/core/plugin';

/** Limits for diffs: larger ones take long to compute and are not readable. */
const maxLength = 500_000;
const maxChanges = 5000;

/**
 * Returns the change that a call of `write_file` (`path`, `content`) or `edit_file` (`path`, `old_string`,
 * `new_string`, `replace_all`) would make, as a unified diff against the current file; if there is none, the reason in
 * parentheses. The tool names may have a prefix: `work_edit_file`. Returns undefined for other tools.
 */
export async function fileDiff(
  { name, input }: Pick<ToolCall, 'name' | 'input'>,
  files: Files,
): Promise<string | undefined> {
  const change = changeOf(name, input);
  if (change === undefined) return undefined;
  try {
    // The tool resolves the path in the same way.
    const path = await rootedPath(change.path, files);
    const before = await currentText(files, path);
    const after = change.apply(before);
    if (before === after) return '(the file would not change)';
    if ((before?.length ?? 0) + after.length > maxLength) return '(no diff: the file is too large)';
    // Imported lazily, because most runs need no diff.
    const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
    const from = before === undefined ? '/dev/null' : path;
    const patch = createTwoFilesPatch(from, path, before ?? '', after, undefined, undefined, {
      context: 3,
      headerOptions: FILE_HEADERS_ONLY,
      maxEditLength: maxChanges,
    });
    return patch === undefined ? '(no diff: too much would change)' : visible(patch);
  } catch (error) {
    return visible(`(no diff: ${messageOf(error)})`);
  }
}

interface Change {
  readonly path: string;
  /** @throws if the change does not apply to the text */
  readonly apply: (before: string | undefined) => string;
}

function changeOf(name: string, input: unknown): Change | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { path, content, edits } = input as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string') return undefined;
  if (isNamed(name, 'write_file') && typeof content === 'string')
    return { path, apply: (before) => rewriteText(before, content) };
  if (!isNamed(name, 'edit_file')) return undefined;
  const list = (Array.isArray(edits) ? edits : [input]).map(editOf);
  const known = list.filter((edit) => edit !== undefined);
  if (known.length < list.length) return undefined;
  return { path, apply: (before = '') => replaceInText(before, known).text };
}

/** Returns an edit in the form of a tool's arguments; undefined if it is invalid. */
function editOf(given: unknown): TextEdit | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const {
    old_string: old,
    new_string: replacement,
    replace_all: all,
  } = given as Readonly<Record<string, unknown>>;
  if (typeof old !== 'string' || typeof replacement !== 'string') return undefined;
  return { old, replacement, all: all === true };
}

function isNamed(name: string, known: string): boolean {
  return name === known || name.endsWith(`_${known}`) || name.endsWith(`-${known}`);
}

async function currentText(files: Files, path: string): Promise<string | undefined> {
  try {
    return (await files.readText(path)).text;
  } catch (error) {
    if (isShallotError(error, 'FILE_NOT_FOUND')) return undefined;
    throw error;
  }
}
