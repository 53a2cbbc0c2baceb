import type { Writable } from 'node:stream';

import { createRedactor, type Redactor } from '@shallot/core/plugin';
import pc from 'picocolors';

import type { Io } from './io.ts';
import { printable } from './printable.ts';
import { columnsOf } from './terminal-width.ts';
import { Uncaught } from './uncaught.ts';

export type Paint = ReturnType<typeof pc.createColors>;

/**
 * Where the command writes: results to stdout, everything else to stderr, in colour only on a terminal. Knows whether a
 * line of the answer is unfinished, so that a note never lands in the middle of it.
 */
export class Screen {
  readonly io: Io;
  /** Whether stdout is a terminal, so that somebody watches the answer grow. */
  readonly live: boolean;
  /** Colours for stdout, and for stderr. */
  readonly paint: Paint;
  readonly paintNotes: Paint;
  /** For errors, warnings and what plugins say. It knows the environment's secrets, and the config's once that is read. */
  redactor: Redactor;
  /** What goes wrong in this process and nobody waits for. */
  readonly uncaught: Uncaught;
  /** Whether errors are shown with stacks and causes. */
  debug: boolean;
  /** Whether stdout is for programs: JSON. */
  json = false;
  readonly #broken = new AbortController();
  #stdin: Io['stdin'] | undefined;
  #midLine = false;
  #midAside = false;
  #hasStatus = false;

  constructor(io: Io, uncaught = new Uncaught()) {
    const { stdout, stderr, env, cwd } = io;
    // Most runs do without stdin, and Node opens it when it is first looked at.
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

  /** Aborted, with the error, when stdout cannot be written any more: its reader is gone, the disk is full. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Writes a piece of text to stdout, on a terminal without the control characters that it might hold. */
  answer(text: string): Promise<void> {
    if (text === '') return Promise.resolve();
    this.endAside();
    this.#midLine = this.live && !text.endsWith('\n');
    return this.#write(this.live ? printable(text) : text);
  }

  /** Writes a line to stdout as it is. */
  line(line: string): Promise<void> {
    this.endAside();
    return this.#write(`${line}\n`);
  }

  /** Whether somebody watches stderr, on a terminal that can take a line back. */
  get hasStatus(): boolean {
    return this.io.stderr.isTTY === true && this.io.env.TERM !== 'dumb';
  }

  /** Shows what is going on in the last line, until something else is written or the text is empty. */
  status(text: string): void {
    this.#dropStatus();
    // An unfinished line says by itself how far it is.
    if (text === '' || !this.hasStatus || this.#midAside || (this.live && this.#midLine)) return;
    this.#hasStatus = true;
    const line = text.slice(0, columnsOf(this.io.stderr) - 1);
    this.io.stderr.write(this.paintNotes.dim(line));
  }

  #dropStatus(): void {
    if (!this.#hasStatus) return;
    this.#hasStatus = false;
    this.io.stderr.write('\r\u001b[J');
  }

  /** Writes a line to stderr, below what the answer's unfinished line has. */
  note(line: string): void {
    this.#dropStatus();
    this.endAside();
    void this.endLine();
    this.io.stderr.write(`${line}\n`);
  }

  /** Writes a piece of text to stderr, dimmed, as a part of what is not the answer. */
  aside(text: string): void {
    const shown = printable(text);
    if (shown === '') return;
    this.#dropStatus();
    void this.endLine();
    this.#midAside = !shown.endsWith('\n');
    this.io.stderr.write(this.paintNotes.dim(shown));
  }

  /** Ends the unfinished line of such text, if there is one. */
  endAside(): void {
    if (!this.#midAside) return;
    this.#midAside = false;
    this.io.stderr.write('\n');
  }

  /** Ends the unfinished line of the answer, if there is one. */
  async endLine(): Promise<void> {
    if (!this.#midLine) return;
    this.#midLine = false;
    await this.#write('\n');
  }

  /** Resolves when everything is written, or cannot be. */
  async close(): Promise<void> {
    await Promise.all([flushed(this.io.stdout), flushed(this.io.stderr)]);
    this.io.stdout.off('error', this.#onBroken);
    this.io.stderr.off('error', ignoreError);
    this.#stdin?.off('error', ignoreError);
  }

  async #write(text: string): Promise<void> {
    this.#dropStatus();
    if (this.broken.aborted || this.io.stdout.write(text)) return;
    await drained(this.io.stdout);
  }

  readonly #onBroken = (error: Error): void => this.#broken.abort(error);
}

/** `NO_COLOR` as https://no-color.org has it, present and not empty; then `FORCE_COLOR`, off with 0 or false. */
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
  // Progress that nobody reads is no reason to stop, and there is no other place to say so. Whoever reads from stdin sees
  // for themselves that it has ended; a terminal that is gone says so to those, too, who only change its mode.
}
