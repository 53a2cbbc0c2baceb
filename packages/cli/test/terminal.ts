import { PassThrough, Writable } from 'node:stream';

import { spawn as spawnOnTerminal } from '@lydell/node-pty';

import { shallot } from '../src/index.ts';
import { watchText } from './watch.ts';

/** A command on a terminal. `screen` is the text that both streams wrote, with its escape sequences. */
export interface OnTerminal {
  readonly ended: Promise<{ readonly status: number; readonly screen: string }>;
  readonly seen: (text: string | RegExp) => Promise<void>;
  type(keys: string): void;
  resize(columns: number): void;
}

/** A process on a pseudo-terminal of the system. */
export interface OnPseudoTerminal extends OnTerminal {
  send(signal: NodeJS.Signals): void;
  /** Closes the terminal, as when a user closes its window. */
  hangUp(): void;
}

interface TerminalOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly columns: number;
}

/** Returns the text that a person sees on a terminal, without colours and cursor movements. */
export function plain(screen: string): string {
  // eslint-disable-next-line no-control-regex -- escape sequences begin with the escape character
  return screen.replaceAll('\r\n', '\n').replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
}

const [ctrlC, ctrlD] = ['\u0003', '\u0004'];

/** Starts the command inside of this process, on a terminal made of streams. */
export function terminalHere(args: readonly string[], { cwd, env, columns }: TerminalOptions): OnTerminal {
  const watch = watchText();
  const keyboard = new TestKeyboard();
  const stdout = new TestDisplay(columns, watch.add);
  const stderr = new TestDisplay(columns, watch.add);
  const end = async (): Promise<{ status: number; screen: string }> => {
    try {
      const status = await shallot(args, { stdin: keyboard, stdout, stderr, cwd, env });
      return { status, screen: watch.text };
    } finally {
      watch.close();
    }
  };
  return {
    ended: end(),
    seen: watch.seen,
    type: (keys) => keyboard.type(keys),
    resize: (size) => [stdout, stderr].forEach((display) => display.resize(size)),
  };
}

/** Passes keys on as they are in raw mode, and otherwise as lines, like a terminal of the system. */
class TestKeyboard extends PassThrough {
  readonly isTTY = true;
  #isRaw = false;

  setRawMode(raw: boolean): this {
    this.#isRaw = raw;
    return this;
  }

  type(keys: string): void {
    if (this.#isRaw) this.write(keys);
    else if (keys.includes(ctrlC)) throw new Error('Ctrl-C is a signal now: test it on a pseudo-terminal.');
    else if (keys.endsWith(ctrlD)) this.end(keys.slice(0, -1).replaceAll('\r', '\n'));
    else this.write(keys.replaceAll('\r', '\n'));
  }
}

class TestDisplay extends Writable {
  readonly isTTY = true;
  readonly rows = 24;
  columns: number;
  readonly #show: (text: string) => void;

  constructor(columns: number, show: (text: string) => void) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.#show = show;
  }

  override _write(text: string, _encoding: BufferEncoding, done: () => void): void {
    // A real terminal also begins each line at the first column.
    this.#show(text.replaceAll('\n', '\r\n'));
    done();
  }

  resize(columns: number): void {
    this.columns = columns;
    this.emit('resize');
  }
}

/** Starts a process on a pseudo-terminal of the system. */
export function pseudoTerminal(
  [program = '', ...args]: readonly string[],
  { cwd, env, columns }: TerminalOptions,
): OnPseudoTerminal {
  const watch = watchText();
  // The library cannot create a terminal without a size.
  const size = columns > 0 ? { cols: columns, rows: 24 } : {};
  const terminal = spawnOnTerminal(program, args, { cwd, env, ...size });
  terminal.onData(watch.add);
  const { promise: ended, resolve } = Promise.withResolvers<{ status: number; screen: string }>();
  terminal.onExit(({ exitCode, signal }) => {
    watch.close();
    resolve({ status: signal ? 128 + signal : exitCode, screen: watch.text });
  });
  return {
    ended,
    seen: watch.seen,
    type: (keys) => terminal.write(keys),
    resize: (cols) => terminal.resize(cols, terminal.rows),
    send: (signal) => process.kill(terminal.pid, signal),
    hangUp: () => close(terminal),
  };
}

/**
 * Closes a terminal. Its later reads and writes then fail, and the process gets SIGHUP. The types of the library lack
 * this method.
 */
function close(terminal: object): void {
  (terminal as { destroy(): void }).destroy();
}
