import type { Screen } from '../terminal/screen.ts';
import { DraftView, type Drawing, type View } from './draft-view.ts';
import { nameOf } from './edit-keys.ts';
import type { Key, Keyboard } from './keyboard.ts';

export interface KeyReading<T> {
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  /** The place of the drawing. Default: below the current output, to which nothing may be added meanwhile. */
  readonly view?: View;
  /** Ends the reading from outside. */
  readonly signal: AbortSignal;
  /** Returns what is drawn now. */
  readonly drawing: () => Drawing;
  /** Takes a key. Returns the outcome if the reading is over; the terminal then stays as `take` leaves the view. */
  readonly take: (key: Key, view: View) => { readonly outcome: T } | undefined;
  /** True during a paste, whose control characters are no commands. */
  readonly isPasting: () => boolean;
  /** The outcome if the signal is aborted or the terminal is closed. */
  readonly ended: T;
  /** The time without keys after which the drawing is repeated, in milliseconds. Default: never. */
  readonly quietMs?: number;
}

/** Makes the terminal mark the start and end of pasted text. */
const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';

/** Reads keys, and draws their effects in place, until one of them ends the reading. Returns the outcome. */
export function readKeys<T>(reading: KeyReading<T>): Promise<T> {
  return new KeyReader(reading).outcome;
}

class KeyReader<T> {
  readonly #reading: KeyReading<T>;
  readonly #output: Screen['io']['stderr'];
  readonly #view: View;
  readonly #outcome = Promise.withResolvers<T>();
  readonly #endings: readonly AbortSignal[];
  readonly #stopListening: () => void;
  #drawing: NodeJS.Immediate | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #over = false;

  constructor(reading: KeyReading<T>) {
    const { screen, keyboard, signal } = reading;
    this.#reading = reading;
    this.#output = screen.io.stderr;
    this.#view = reading.view ?? new DraftView(this.#output);
    this.#endings = [signal, keyboard.gone];
    this.#output.write(pasteOn);
    this.#output.on('resize', this.#redraw);
    this.#draw();
    this.#waitForQuiet();
    this.#stopListening = keyboard.listen((key) => this.#take(key));
    for (const ending of this.#endings) {
      if (ending.aborted) this.#onEnd();
      else ending.addEventListener('abort', this.#onEnd, { once: true });
    }
  }

  get outcome(): Promise<T> {
    return this.#outcome.promise;
  }

  #take(key: Key): void {
    const name = this.#reading.isPasting() ? '' : nameOf(key);
    if (name === 'C-l') return this.#clearScreen();
    if (name === 'C-z') return this.#suspend();
    this.#waitForQuiet();
    const over = this.#reading.take(key, this.#view);
    if (over === undefined) this.#redraw();
    else this.#finish(over.outcome);
  }

  #draw(): void {
    this.#view.draw(this.#reading.drawing());
  }

  /** Draws once for several keys that arrive together. */
  readonly #redraw = (): void => {
    clearImmediate(this.#drawing);
    this.#drawing = setImmediate(() => this.#draw());
  };

  #waitForQuiet(): void {
    const { quietMs } = this.#reading;
    if (quietMs === undefined) return;
    clearTimeout(this.#quiet);
    // A timer may be early by a fraction of a millisecond.
    this.#quiet = setTimeout(this.#redraw, quietMs + 1);
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
    const { keyboard } = this.#reading;
    if (!canSuspend()) return;
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

  readonly #onEnd = (): void => {
    if (this.#over) return;
    this.#view.leave(this.#reading.drawing());
    this.#finish(this.#reading.ended);
  };

  #finish(outcome: T): void {
    this.#over = true;
    clearImmediate(this.#drawing);
    clearTimeout(this.#quiet);
    this.#output.write(pasteOff);
    this.#output.off('resize', this.#redraw);
    for (const ending of this.#endings) ending.removeEventListener('abort', this.#onEnd);
    this.#stopListening();
    this.#outcome.resolve(outcome);
  }
}

/**
 * Returns whether the process can be suspended. Windows has no signal that suspends a process, and no shell that
 * resumes one.
 */
export function canSuspend(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32';
}
