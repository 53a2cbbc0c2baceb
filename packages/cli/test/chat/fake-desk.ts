import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import type { Desk } from '../../src/chat/desk.ts';
import { TerminalDesk } from '../../src/chat/terminal-desk.ts';
import { Keyboard } from '../../src/keyboard/keyboard.ts';
import { Screen } from '../../src/terminal/screen.ts';

/** The desk of a chat on a terminal that is made of streams. Its clock moves only when a test presses keys. */
export interface FakeDesk {
  readonly desk: Desk;
  readonly screen: Screen;
  /** The messages that were added to the history. */
  readonly history: readonly string[];
  /** Returns everything written to the terminal so far. */
  readonly shown: () => string;
  /** Moves the clock on by `afterMs` milliseconds, then presses the keys in one piece. */
  press(keys: string, afterMs: number): Promise<void>;
  /** Waits until the work that is already due is done. */
  settle(): Promise<void>;
  resize(columns: number): void;
  end(): void;
}

class FakeTerminal extends PassThrough {
  readonly isTTY = true;
  readonly setRawMode = (): this => this;
}

export function fakeDesk(cwd = '/'): FakeDesk {
  let now = 0;
  let shown = '';
  const stdin = new FakeTerminal();
  const stderr = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        // A real terminal also begins each line at the first column.
        shown += text.replaceAll('\n', '\r\n');
        done();
      },
    }),
    { isTTY: true, columns: 80, rows: 24 },
  );
  const screen = new Screen({ stdin, stdout: stderr, stderr, env: { NO_COLOR: '1' }, cwd });
  const keyboard = new Keyboard(stdin, () => now);
  const history: string[] = [];
  const ended = new AbortController();
  const desk = new TerminalDesk({
    screen,
    keyboard,
    history: () => ({
      add: (text) => history.push(text),
      browse: () => ({ older: (draft) => draft, newer: (draft) => draft }),
    }),
    names: () => [],
    signal: ended.signal,
    onImpatience: () => ended.abort(),
  });
  keyboard.open();
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 4; turns += 1) await turn();
  };
  return {
    desk,
    screen,
    history,
    shown: () => shown,
    async press(keys, afterMs) {
      now += afterMs;
      stdin.write(keys);
      await settle();
    },
    settle,
    resize(columns) {
      stderr.columns = columns;
      stderr.emit('resize');
    },
    end() {
      ended.abort();
      desk.close();
    },
  };
}
