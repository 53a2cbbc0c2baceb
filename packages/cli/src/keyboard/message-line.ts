import { visibleLine } from '../terminal/visible.ts';
import { draftOf, lineAbove, lineBelow, moveTo, type Draft } from './draft.ts';
import { nameOf } from './edit-keys.ts';
import type { Key } from './keyboard.ts';
import { LineEditor } from './line-editor.ts';
import { MessageQueue } from './message-queue.ts';

/** A walk through the earlier messages. */
export interface Browsing {
  /** Returns the message before the current one. Keeps the current draft, so that `newer` can return to it. */
  older(now: Draft): Draft;
  newer(now: Draft): Draft;
}

/** A draft completed by Tab, and its alternatives. */
export interface DraftCompletion {
  readonly draft: Draft;
  readonly choices: readonly string[];
}

export interface MessageLineParts {
  /** Starts a walk through the earlier messages. */
  readonly browse: () => Browsing;
  readonly complete: (draft: Draft) => DraftCompletion;
}

/** The most alternatives shown. */
const maxChoices = 40;

/** The line in which messages are written, and the messages that wait to be sent. It outlives questions and runs. */
export class MessageLine {
  /** The messages that were ended in the line and that no run has read yet. */
  readonly queue = new MessageQueue();
  readonly #parts: MessageLineParts;
  readonly #editor = new LineEditor();
  #browsing: Browsing | undefined;

  constructor(parts: MessageLineParts = noParts) {
    this.#parts = parts;
  }

  get draft(): Draft {
    return this.#editor.draft;
  }

  get isEmpty(): boolean {
    return this.#editor.isEmpty;
  }

  get isPasting(): boolean {
    return this.#editor.isPasting;
  }

  /** Takes a key that edits, completes, or walks through the history. `print` shows alternatives above the line. */
  take(key: Key, print: (line: string) => void): void {
    if (this.#editor.isPasting) {
      this.#editor.take(key);
      return;
    }
    const name = nameOf(key);
    if (Object.hasOwn(this.#moves, name)) this.#moves[name]?.();
    else if (name === 'tab') this.#complete(print);
    else this.#editor.take(key);
  }

  readonly #moves: Readonly<Record<string, () => void>> = {
    up: () => this.#move(lineAbove(this.draft), 'older'),
    down: () => this.#move(lineBelow(this.draft), 'newer'),
    'C-p': () => this.#move(undefined, 'older'),
    'C-n': () => this.#move(undefined, 'newer'),
  };

  insert(text: string): void {
    this.#editor.insert(text);
  }

  clear(): void {
    this.#editor.clear();
  }

  /** Ends the message, and returns it; undefined if a backslash at its end continues it. */
  submit(): string | undefined {
    const { text, cursor } = this.draft;
    if (text.endsWith('\\') && cursor === text.length) {
      this.#editor.draft = draftOf(`${text.slice(0, -1)}\n`);
      return undefined;
    }
    this.#browsing = undefined;
    this.#editor.clear();
    return text;
  }

  /** Puts messages that were not sent back into the line, before its current text. */
  putBack(...unsent: readonly string[]): void {
    const texts = [...unsent, this.draft.text];
    this.#editor.draft = draftOf(texts.filter((text) => text !== '').join('\n'));
  }

  /** Puts the messages of the queue that nobody has read back into the line. */
  async recall(): Promise<void> {
    await this.queue.takeBack();
    this.putBack(...this.queue.drain());
  }

  #complete(print: (line: string) => void): void {
    const { draft, choices } = this.#parts.complete(this.draft);
    const left = choices.length - maxChoices;
    const more = left > 0 ? `  … and ${left} more` : '';
    if (choices.length > 1) print(visibleLine(choices.slice(0, maxChoices).join('  ')) + more);
    this.#editor.draft = draft;
  }

  #move(line: number | undefined, otherwise: keyof Browsing): void {
    this.#browsing ??= this.#parts.browse();
    const { draft } = this;
    this.#editor.draft = line === undefined ? this.#browsing[otherwise](draft) : moveTo(draft, line);
  }
}

/** The walk of a line without a history. */
export const nothingEarlier: Browsing = { older: (now) => now, newer: (now) => now };

const noParts: MessageLineParts = {
  browse: () => nothingEarlier,
  complete: (draft) => ({ draft, choices: [] }),
};
