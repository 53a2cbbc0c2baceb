import * as at from './draft.ts';
import { insert, moveTo, removeTo, type Draft } from './draft.ts';
import type { Key } from './keyboard.ts';

type Edit = (draft: Draft) => Draft;

const moving =
  (place: (draft: Draft) => number): Edit =>
  (draft) =>
    moveTo(draft, place(draft));
const removing =
  (place: (draft: Draft) => number): Edit =>
  (draft) =>
    removeTo(draft, place(draft));

/** The readline edits, by key name; `C-` is Ctrl, `M-` Alt. */
const edits: Readonly<Record<string, Edit>> = {
  left: moving(at.before),
  'C-b': moving(at.before),
  right: moving(at.after),
  'C-f': moving(at.after),
  'C-left': moving(at.wordBefore),
  'M-left': moving(at.wordBefore),
  'M-b': moving(at.wordBefore),
  'C-right': moving(at.wordAfter),
  'M-right': moving(at.wordAfter),
  'M-f': moving(at.wordAfter),
  home: moving(at.lineStart),
  'C-a': moving(at.lineStart),
  end: moving(at.lineEnd),
  'C-e': moving(at.lineEnd),
  backspace: removing(at.before),
  'C-h': removing(at.before),
  delete: removing(at.after),
  'C-d': removing(at.after),
  'C-w': removing(at.wordBefore),
  'M-backspace': removing(at.wordBefore),
  'M-d': removing(at.wordAfter),
  'C-u': removing(at.lineStart),
  'C-k': removing(at.lineEnd),
  'M-return': (draft) => insert(draft, '\n'),
  // Ctrl-J.
  enter: (draft) => insert(draft, '\n'),
};

/** Returns the name of a key: `C-a`, `M-left`, `return` … */
export function nameOf({ name = '', ctrl, meta }: Key): string {
  return `${ctrl ? 'C-' : ''}${meta ? 'M-' : ''}${name}`;
}

/** Returns the draft after a key; undefined if the key does not edit. */
export function editByKey(draft: Draft, key: Key): Draft | undefined {
  const name = nameOf(key);
  if (Object.hasOwn(edits, name)) return edits[name]?.(draft);
  const isText = !key.ctrl && !key.meta && key.text !== undefined && /^[^\p{Cc}\p{Cs}]+$/u.test(key.text);
  return isText ? insert(draft, key.text ?? '') : undefined;
}

/** Returns pasted text without control sequences, with normalized line ends. */
export function pastedText(raw: string): string {
  return raw.replace(/\r\n?/g, '\n').replace(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, '');
}
