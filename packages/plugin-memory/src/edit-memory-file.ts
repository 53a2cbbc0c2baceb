import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { isShallotError, ShallotError, type ToolContext } from '@shallot/core';
import type { Files } from '@shallot/core/files';

import { readMemoryFile, withPath, type MemoryFile } from './read-memory-file.ts';

/** An exact replacement in a memory file, or without `old_text` an addition to its end. */
export interface MemoryEdit {
  readonly path: string;
  readonly old_text?: string;
  readonly new_text: string;
}

/** A change to a memory file. */
export interface MadeEdit {
  readonly path: string;
  /** The run and the call that made the change. */
  readonly runId: string;
  readonly callId: string;
  /** The revision before the change; null if the file did not exist. */
  readonly from: string | null;
  /** The new revision. */
  readonly to: string;
}

/** The record made before a write, from which any process can later tell whether the write happened. */
interface PlannedEdit extends Omit<MadeEdit, 'to'> {
  /** SHA-256 of the whole new content. */
  readonly digest: string;
}

/** The most attempts at a write. One fails only if the file was changed after it was read. */
const maxAttempts = 16;

/**
 * Changes a memory file by compare-and-swap, and exactly once: if the process dies or is suspended meanwhile, and the
 * call is executed again, the recorded plan shows if the change was made. If that is unknown by then, the file is
 * left unchanged.
 * @throws `memory/EDIT_REFUSED`, `memory/EDIT_UNKNOWN`, `memory/EDIT_CONFLICT`, `memory/FILE_FAILED`
 */
export async function editMemoryFile(
  edit: MemoryEdit,
  maxBytes: number,
  context: EditContext,
): Promise<MadeEdit> {
  const { path } = edit;
  const { files, signal } = context;
  let file = await readMemoryFile(files, path, { own: true });
  let isUnknown = false;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { plan, isNew } = await planEdit(`plan ${attempt}`, { edit, file, maxBytes }, context, isUnknown);
    if (revisionOf(file) === plan.from) {
      const to = await writeIfUnchanged(files, plan, applyEdit(file, edit, maxBytes));
      if (to !== undefined) return madeEdit(plan, to);
      // The last write may be this same edit, made by a suspended process.
      file = await readMemoryFile(files, path, { own: true });
    }
    if (file !== undefined && digestOf(file.mark + file.text) === plan.digest)
      return madeEdit(plan, file.revision);
    // The file has changed since; whether the planned write happened before that is unknown.
    isUnknown = !isNew;
    // Without a pause, the same writer could lose the race repeatedly.
    await sleep(Math.random() * attempt ** 2, undefined, { signal });
  }
  throw new ShallotError('memory/EDIT_CONFLICT', {
    message: `${JSON.stringify(path)} was changed by others during ${maxAttempts} attempts to edit it. Try again later.`,
    transient: true,
  });
}

type EditContext = Pick<ToolContext, 'call' | 'run' | 'files' | 'once' | 'signal'>;

/** An edit, and the file that it is about to change. */
interface Change {
  readonly edit: MemoryEdit;
  readonly file: MemoryFile | undefined;
  readonly maxBytes: number;
}

/**
 * Returns the plan that is recorded under this key, or records a new one. @throws `memory/EDIT_UNKNOWN` in place of
 * recording one if it `isUnknown` whether the previous plan was carried out
 */
async function planEdit(
  key: string,
  { edit, file, maxBytes }: Change,
  { call, run, once }: EditContext,
  isUnknown: boolean,
): Promise<{ readonly plan: PlannedEdit; readonly isNew: boolean }> {
  const { path } = edit;
  let isNew = false;
  const plan = await once(key, (): PlannedEdit => {
    if (isUnknown) throw outcomeUnknown(path);
    isNew = true;
    const digest = digestOf(applyEdit(file, edit, maxBytes));
    return { runId: run.id, callId: call.id, path, from: revisionOf(file), digest };
  });
  return { plan, isNew };
}

function revisionOf(file: MemoryFile | undefined): string | null {
  return file?.revision ?? null;
}

function madeEdit({ digest: _, ...plan }: PlannedEdit, to: string): MadeEdit {
  return { ...plan, to };
}

/** Returns the new revision; undefined if the file no longer matches the plan. */
function writeIfUnchanged(
  files: Files,
  { path, from }: PlannedEdit,
  text: string,
): Promise<string | undefined> {
  return withPath(path, 'written', () =>
    files.write(path, text, { ifRevision: from, own: true }).catch(undefinedIfConflict),
  );
}

function undefinedIfConflict(error: unknown): undefined {
  if (isShallotError(error, 'FILE_CONFLICT')) return undefined;
  throw error;
}

/** Returns the text after an edit. @throws `memory/EDIT_REFUSED` */
function applyEdit(
  file: MemoryFile | undefined,
  { path, old_text: oldText, new_text: newText }: MemoryEdit,
  maxBytes: number,
): string {
  const { text, mark } = file ?? { text: '', mark: '' };
  const edited =
    oldText === undefined ? append(text, newText.trimEnd(), path) : replaceOnce(text, oldText, newText, path);
  const bytes = Buffer.byteLength(edited);
  if (bytes > maxBytes && bytes > Buffer.byteLength(text)) {
    const why = `it would then have ${bytes} bytes, and at most ${maxBytes} are sent to you`;
    throw refused(path, `${why}. First replace long or outdated text with something shorter`);
  }
  return mark + edited;
}

function append(text: string, added: string, path: string): string {
  if (added.trim() === '') throw refused(path, 'new_text is empty, and there is no old_text to remove');
  const lineBreak = lineBreakAt(text, text.length);
  const gap = text === '' || text.endsWith('\n') ? '' : lineBreak;
  return `${text}${gap}${withBreaks(added, lineBreak)}${lineBreak}`;
}

/**
 * Replaces a passage, whatever line endings the file and the passage have. @throws `memory/EDIT_REFUSED` unless it occurs
 * exactly once
 */
function replaceOnce(file: string, oldPassage: string, newPassage: string, path: string): string {
  const text = withBreaks(file, '\n');
  const oldText = withBreaks(oldPassage, '\n');
  const newText = withBreaks(newPassage, '\n');
  const at = text.indexOf(oldText);
  if (oldText === '') throw refused(path, 'old_text is empty. Leave it out to append');
  if (oldText === newText) throw refused(path, 'old_text and new_text are the same');
  if (at === -1) {
    throw refused(
      path,
      'old_text does not occur in it. Copy it exactly; comments in the file are not shown to you',
    );
  }
  if (text.includes(oldText, at + 1))
    throw refused(path, 'old_text occurs more than once. Include some of the surrounding text');
  const from = placeIn(file, at);
  const to = placeIn(file, at + oldText.length);
  return file.slice(0, from) + withBreaks(newText, lineBreakAt(file, from)) + file.slice(to);
}

/** Converts an offset that counts each line break as one character to an offset in the file. */
function placeIn(file: string, at: number): number {
  let place = at;
  for (
    let found = file.indexOf('\r\n');
    found !== -1 && found < place;
    found = file.indexOf('\r\n', found + 2)
  ) {
    place += 1;
  }
  return place;
}

/** Returns the line ending of the line at an offset; if that line has none, of the line before. */
function lineBreakAt(text: string, at: number): '\n' | '\r\n' {
  const next = text.indexOf('\n', at);
  const end = next === -1 ? text.lastIndexOf('\n') : next;
  return text[end - 1] === '\r' ? '\r\n' : '\n';
}

function withBreaks(text: string, lineBreak: '\n' | '\r\n'): string {
  return text.replaceAll(/\r?\n/g, lineBreak);
}

function refused(path: string, why: string): ShallotError {
  return new ShallotError('memory/EDIT_REFUSED', {
    message: `${JSON.stringify(path)} was not changed: ${why}.`,
  });
}

function outcomeUnknown(path: string): ShallotError {
  return new ShallotError('memory/EDIT_UNKNOWN', {
    message: `An earlier process began to change ${JSON.stringify(path)}, and others have changed the file since, so it is unknown whether this edit was made. Read the file, and edit it again if necessary.`,
  });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
