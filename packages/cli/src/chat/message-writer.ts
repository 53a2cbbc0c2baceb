import type { Screen } from '../terminal/screen.ts';
import type { Completion } from './complete-word.ts';
import { DraftView } from './draft-view.ts';
import { draftOf, emptyDraft, insert, lineAbove, lineBelow, moveTo, type Draft } from './draft.ts';
import { editByKey, nameOf, pastedText } from './edit-keys.ts';
import type { Browsing, History } from './history.ts';
import type { Key, Keyboard } from './keyboard.ts';

/** The outcome of writing a message. */
export type Written =
  | { readonly type: 'text'; readonly text: string }
  /** Ctrl-C on an empty draft. */
  | { readonly type: 'interrupt' }
  /** Ctrl-D, or the terminal was closed. */
  | { readonly type: 'end' };

export interface Writing {
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly history: History;
  readonly complete: (text: string) => Completion;
  /** Ends the writing from outside. */
  readonly signal: AbortSignal;
}

/** Makes the terminal mark the start and end of pasted text. */
const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';

/** Lets a person write a message of several lines, with the history. Returns the outcome. */
export function writeMessage(writing: Writing): Promise<Written> {
  return new MessageWriter(writing).written;
}

class MessageWriter {
  readonly #writing: Writing;
  readonly #output: Screen['io']['stderr'];
  readonly #view: DraftView;
  readonly #browsing: Browsing;
  readonly #written = Promise.withResolvers<Written>();
  readonly #endings: readonly AbortSignal[];
  readonly #stopListening: () => void;
  #draft: Draft = emptyDraft;
  /** The text pasted so far. */
  #pasted: string | undefined;
  #drawing: NodeJS.Immediate | undefined;
  #over = false;

  constructor(writing: Writing) {
    const { screen, keyboard, history, signal } = writing;
    const { bold, cyan } = screen.paintNotes;
    this.#writing = writing;
    this.#output = screen.io.stderr;
    this.#view = new DraftView(this.#output, (prompt) => bold(cyan(prompt)));
    this.#browsing = history.browse();
    this.#endings = [signal, keyboard.gone];
    this.#output.write(pasteOn);
    this.#output.on('resize', this.#redraw);
    this.#view.draw(this.#draft);
    this.#stopListening = keyboard.listen((key) => this.#take(key));
    for (const ending of this.#endings) {
      if (ending.aborted) this.#onEnd();
      else ending.addEventListener('abort', this.#onEnd, { once: true });
    }
  }

  get written(): Promise<Written> {
    return this.#written.promise;
  }

  #take(key: Key): void {
    if (this.#pasted !== undefined) return this.#paste(key);
    const name = nameOf(key);
    const isEmpty = this.#draft.text === '';
    if (isEmpty && name === 'C-c') return this.#finish({ type: 'interrupt' });
    if (isEmpty && name === 'C-d') return this.#finish({ type: 'end' });
    const command = Object.hasOwn(this.#commands, name) ? this.#commands[name] : undefined;
    if (command !== undefined) return command();
    const next = editByKey(this.#draft, key);
    if (next !== undefined) this.#set(next);
  }

  readonly #commands: Readonly<Record<string, () => void>> = {
    'paste-start': () => {
      this.#pasted = '';
    },
    return: () => this.#submit(),
    tab: () => this.#complete(),
    up: () => this.#move(lineAbove(this.#draft), 'older'),
    down: () => this.#move(lineBelow(this.#draft), 'newer'),
    'C-p': () => this.#move(undefined, 'older'),
    'C-n': () => this.#move(undefined, 'newer'),
    'C-l': () => this.#clearScreen(),
    'C-c': () => this.#clear(),
    'C-z': () => this.#suspend(),
  };

  #set(draft: Draft): void {
    this.#draft = draft;
    this.#redraw();
  }

  /** Draws once for several keys that arrive together. */
  readonly #redraw = (): void => {
    clearImmediate(this.#drawing);
    this.#drawing = setImmediate(() => this.#view.draw(this.#draft));
  };

  #paste(key: Key): void {
    const name = nameOf(key);
    if (name === 'C-c') return this.#clear();
    if (name !== 'paste-end') {
      this.#pasted = `${this.#pasted ?? ''}${key.sequence}`;
      return;
    }
    const text = pastedText(this.#pasted ?? '');
    this.#pasted = undefined;
    this.#set(insert(this.#draft, text));
  }

  /** Submits the draft; a backslash at the end of a line continues it instead. */
  #submit(): void {
    const { text, cursor } = this.#draft;
    const goesOn = text.endsWith('\\') && cursor === text.length;
    if (goesOn) this.#set(draftOf(`${text.slice(0, -1)}\n`));
    else this.#finish({ type: 'text', text });
  }

  #complete(): void {
    const { text, choices } = this.#writing.complete(this.#draft.text);
    if (choices.length > 1) {
      this.#view.erase();
      this.#output.write(`${this.#writing.screen.paintNotes.dim(choices.join('  '))}\r\n`);
    }
    this.#set(draftOf(text));
  }

  #move(line: number | undefined, otherwise: keyof Browsing): void {
    this.#set(line === undefined ? this.#browsing[otherwise](this.#draft) : moveTo(this.#draft, line));
  }

  #clear(): void {
    this.#pasted = undefined;
    this.#view.leave(this.#draft);
    this.#set(emptyDraft);
  }

  #clearScreen(): void {
    this.#output.write('\u001b[H\u001b[2J');
    this.#view.forget();
    this.#redraw();
  }

  /**
   * Suspends the process like Ctrl-Z. The process is stopped before the timer fires, and continues with it when it is
   * resumed. Without a shell to resume it, the system does not stop it.
   */
  #suspend(): void {
    const { keyboard } = this.#writing;
    if (process.platform === 'win32') return;
    clearImmediate(this.#drawing);
    this.#view.erase();
    this.#output.write(pasteOff);
    keyboard.close();
    process.kill(process.pid, 'SIGTSTP');
    setTimeout(() => {
      if (this.#over) return;
      keyboard.open();
      this.#output.write(pasteOn);
      this.#redraw();
    }, 100);
  }

  readonly #onEnd = (): void => this.#finish({ type: 'end' });

  #finish(written: Written): void {
    if (this.#over) return;
    this.#over = true;
    clearImmediate(this.#drawing);
    this.#view.leave(this.#draft);
    this.#output.write(pasteOff);
    this.#output.off('resize', this.#redraw);
    for (const ending of this.#endings) ending.removeEventListener('abort', this.#onEnd);
    this.#stopListening();
    this.#written.resolve(written);
  }
}
