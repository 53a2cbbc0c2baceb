import type { Writable } from 'node:stream';

import { createRedactor, type Redactor } from '@shallot/core/plugin';
import pc from 'picocolors';

import type { Io } from './io.ts';
import { printable } from './printable.ts';
import { columnsOf } from './terminal-width.ts';
import { Uncaught } from './uncaught.ts';

export type Paint = ReturnType<typeof pc.createColors>;

/** A text below all output, such as what is being typed. */
export interface Footer {
  draw(): void;
  /** Erases what was drawn; the cursor is then where it was before. */
  erase(): void;
}

/**
 * The output of the command: results on stdout, everything else on stderr, with colors only on a terminal. Tracks
 * unfinished lines, so that a note never splits a line of the answer.
 */
export class Screen {
  readonly io: Io;
  /** True if stdout is a terminal, on which answers are streamed. */
  readonly live: boolean;
  /** Colors for stdout and for stderr. */
  readonly paint: Paint;
  readonly paintNotes: Paint;
  /**
   * Redacts errors, warnings and plugin output. It knows the secrets of the environment, and those of the config once
   * it is read.
   */
  redactor: Redactor;
  /** Uncaught errors of this process. */
  readonly uncaught: Uncaught;
  /** Shows errors with stacks and causes. */
  debug: boolean;
  /** True if stdout is JSON for programs. */
  json = false;
  readonly #broken = new AbortController();
  #stdin: Io['stdin'] | undefined;
  #midLine = false;
  #midAside = false;
  #hasStatus = false;
  #footer: Footer | undefined;
  #hasFooter = false;
  /** Lines that are kept below all output, and the number of those that are shown. */
  #board: readonly string[] = [];
  #boardLines = 0;

  constructor(io: Io, uncaught = new Uncaught()) {
    const { stdout, stderr, env, cwd } = io;
    // A getter, because Node opens stdin on first access and most runs do not need it.
    const stdin = (): Io['stdin'] => (this.#stdin ??= io.stdin.on('error', ignoreError));
    this.io = {
      stdout,
      stderr,
      env,
      cwd,
      get stdin() {
        return stdin();
      },
    };
    this.uncaught = uncaught;
    this.debug = Boolean(io.env.SHALLOT_DEBUG);
    this.live = io.stdout.isTTY === true;
    this.paint = pc.createColors(wantsColors(io.stdout, io.env));
    this.paintNotes = pc.createColors(wantsColors(io.stderr, io.env));
    this.redactor = createRedactor({ environment: io.env });
    io.stdout.on('error', this.#onBroken);
    io.stderr.on('error', ignoreError);
  }

  /** Aborted with the error when stdout can no longer be written: its reader is gone, or the disk is full. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Writes text to stdout, without control characters on a terminal. */
  answer(text: string): Promise<void> {
    if (text === '') return Promise.resolve();
    this.endAside();
    this.#midLine = this.live && !text.endsWith('\n');
    return this.#write(this.live ? printable(text) : text);
  }

  /** Writes a line to stdout unchanged. */
  line(line: string): Promise<void> {
    this.endAside();
    return this.#write(`${line}\n`);
  }

  /** True if stderr is a terminal whose last line can be replaced. */
  get hasStatus(): boolean {
    return this.io.stderr.isTTY === true && this.io.env.TERM !== 'dumb';
  }

  /** Shows a status in the last line, until other output or an empty text. */
  status(text: string): void {
    this.#dropStatus();
    // Neither an unfinished line nor a line that is being typed may be overwritten by the status.
    if (text === '' || !this.hasStatus || this.#isMid || this.#footer !== undefined) return;
    this.#hasStatus = true;
    const line = text.slice(0, columnsOf(this.io.stderr) - 1);
    this.io.stderr.write(this.paintNotes.dim(line));
  }

  /**
   * Keeps lines below all output, in place of earlier ones; an empty list removes them. Each must fit into a line of
   * a terminal (see `hasStatus`).
   */
  board(lines: readonly string[]): void {
    this.#dropBelow();
    this.#board = lines;
    this.#showBelow();
  }

  /** Keeps a footer below all output, and below an unfinished line once that has ended; undefined removes it. */
  footer(footer: Footer | undefined): void {
    this.#dropBelow();
    this.#footer = footer;
    this.#showBelow();
  }

  /** True while the last line of the terminal is unfinished. */
  get #isMid(): boolean {
    return this.#midAside || (this.live && this.#midLine);
  }

  #dropStatus(): void {
    if (!this.#hasStatus) return;
    this.#hasStatus = false;
    this.io.stderr.write('\r\u001b[J');
  }

  /** Erases what is below the output: status, footer and board. */
  #dropBelow(): void {
    this.#dropStatus();
    if (this.#hasFooter) this.#footer?.erase();
    this.#hasFooter = false;
    if (this.#boardLines > 0) this.io.stderr.write(`\r\u001b[${this.#boardLines}A\u001b[J`);
    this.#boardLines = 0;
  }

  #showBelow(): void {
    if (this.#isMid) return;
    for (const line of this.#board) this.io.stderr.write(`${line}\n`);
    this.#boardLines = this.#board.length;
    if (this.#footer === undefined) return;
    this.#hasFooter = true;
    this.#footer.draw();
  }

  /** Writes a line to stderr, below an unfinished line of the answer. */
  note(line: string): void {
    this.endAside();
    void this.endLine();
    this.#writeNotes(`${line}\n`);
  }

  /** Writes text to stderr, dimmed, such as reasoning. */
  aside(text: string): void {
    const shown = printable(text);
    if (shown === '') return;
    void this.endLine();
    this.#midAside = !shown.endsWith('\n');
    this.#writeNotes(this.paintNotes.dim(shown));
  }

  /** Ends an unfinished line of `aside`. */
  endAside(): void {
    if (!this.#midAside) return;
    this.#midAside = false;
    this.#writeNotes('\n');
  }

  /** Ends an unfinished line of the answer. */
  async endLine(): Promise<void> {
    if (!this.#midLine) return;
    this.#midLine = false;
    await this.#write('\n');
  }

  /** Resolves once all output is written, or cannot be. */
  async close(): Promise<void> {
    await Promise.all([flushed(this.io.stdout), flushed(this.io.stderr)]);
    this.io.stdout.off('error', this.#onBroken);
    this.io.stderr.off('error', ignoreError);
    this.#stdin?.off('error', ignoreError);
  }

  async #write(text: string): Promise<void> {
    this.#dropBelow();
    const isTaken = this.broken.aborted || this.io.stdout.write(text);
    this.#showBelow();
    if (!isTaken) await drained(this.io.stdout);
  }

  #writeNotes(text: string): void {
    this.#dropBelow();
    this.io.stderr.write(text);
    this.#showBelow();
  }

  readonly #onBroken = (error: Error): void => this.#broken.abort(error);
}

/**
 * Implements `NO_COLOR` (https://no-color.org), set and not empty; then `FORCE_COLOR`, off for 0 or false. Without both,
 * returns true for a terminal that is not `dumb`.
 */
function wantsColors(stream: { readonly isTTY?: boolean }, env: Io['env']): boolean {
  const { NO_COLOR, FORCE_COLOR } = env;
  if (!NO_COLOR && FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

function drained(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['drain', 'close', 'error'];
  const done = (): void => {
    for (const event of events) stream.off(event, done);
    resolve();
  };
  for (const event of events) stream.on(event, done);
  return promise;
}

function flushed(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

function ignoreError(): void {
  // Lost progress notes are no reason to stop, and these errors could be shown nowhere else. Readers of stdin notice
  // its end themselves; a closed terminal also reports errors when only its mode is changed.
}
