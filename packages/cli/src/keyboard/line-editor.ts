import { emptyDraft, insert, type Draft } from './draft.ts';
import { editByKey, nameOf, pastedText } from './edit-keys.ts';
import type { Key } from './keyboard.ts';

/** A text that keys edit. Pasted text is inserted as a whole. */
export class LineEditor {
  draft: Draft;
  /** The text pasted so far. */
  #pasted: string | undefined;

  constructor(draft: Draft = emptyDraft) {
    this.draft = draft;
  }

  /** True between the first and the last key of a paste. */
  get isPasting(): boolean {
    return this.#pasted !== undefined;
  }

  get isEmpty(): boolean {
    return this.draft.text === '' && !this.isPasting;
  }

  /** Takes a key that edits, or that is part of a paste. Returns false for others. */
  take(key: Key): boolean {
    const name = nameOf(key);
    if (this.#pasted !== undefined) {
      if (name === 'paste-end') this.#insertPasted(this.#pasted);
      else this.#pasted += key.sequence;
      return true;
    }
    if (name === 'paste-start') {
      this.#pasted = '';
      return true;
    }
    const next = editByKey(this.draft, key);
    if (next !== undefined) this.draft = next;
    return next !== undefined;
  }

  insert(text: string): void {
    this.draft = insert(this.draft, text);
  }

  /** Drops the text, and a paste that has not ended. */
  clear(): void {
    this.#pasted = undefined;
    this.draft = emptyDraft;
  }

  #insertPasted(raw: string): void {
    this.#pasted = undefined;
    this.insert(pastedText(raw));
  }
}
