import { nameOf } from '../keyboard/edit-keys.ts';
import type { Keyboard } from '../keyboard/keyboard.ts';
import type { MessageLine } from '../keyboard/message-line.ts';
import { readKeys } from '../keyboard/read-keys.ts';
import type { Screen } from '../terminal/screen.ts';

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
  readonly line: MessageLine;
  /** Ends the writing from outside. */
  readonly signal: AbortSignal;
}

/** Lets a person write a message of several lines, with the history. Returns the outcome. */
export function writeMessage({ screen, keyboard, line, signal }: Writing): Promise<Written> {
  const { bold, cyan, dim } = screen.paintNotes;
  const drawing = () => ({ prompt: bold(cyan('> ')), draft: line.draft });
  return readKeys<Written>({
    screen,
    keyboard,
    signal,
    drawing,
    isPasting: () => line.isPasting,
    ended: { type: 'end' },
    take(key, view) {
      const name = nameOf(key);
      const ending = line.isEmpty ? endings.get(name) : undefined;
      if (ending !== undefined) {
        view.leave(drawing());
        return { outcome: ending };
      }
      if (name === 'C-c') {
        view.leave(drawing());
        line.clear();
      } else if (name === 'return' && !line.isPasting) {
        const written = drawing();
        const text = line.submit();
        if (text === undefined) return undefined;
        view.leave(written);
        return { outcome: { type: 'text', text } };
      } else {
        line.take(key, (choices) => view.print(dim(choices)));
      }
      return undefined;
    },
  });
}

/** The keys that end the writing on an empty line. */
const endings: ReadonlyMap<string, Written> = new Map([
  ['C-c', { type: 'interrupt' }],
  ['C-d', { type: 'end' }],
]);
