import { nameOf } from '../keyboard/edit-keys.ts';
import { FooterView } from '../keyboard/footer-view.ts';
import type { Keyboard } from '../keyboard/keyboard.ts';
import type { MessageLine } from '../keyboard/message-line.ts';
import { readKeys } from '../keyboard/read-keys.ts';
import { messageDrawing } from '../keyboard/take-message-key.ts';
import type { Screen } from '../terminal/screen.ts';
import { readable } from '../terminal/visible.ts';

export interface MeanwhileParts {
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly line: MessageLine;
  /** Ends the reading for good. */
  readonly signal: AbortSignal;
  /** Called on Ctrl-C. Resolves once the queued messages are back in the line. */
  readonly onStop: () => Promise<void>;
  /** Called on Esc, after a message in the line was queued. */
  readonly onEscape: () => Promise<void>;
  /** Called on Ctrl-D on an empty line. */
  readonly onEnd: () => void;
}

/**
 * Reads what is typed while work is in progress, and shows it below the output. Returns a function that ends the
 * reading.
 */
export function readMeanwhile(parts: MeanwhileParts): () => void {
  const { screen, keyboard, line, onEnd } = parts;
  const ended = new AbortController();
  const view = new FooterView(screen);
  const print = (choices: string): void => view.print(screen.paintNotes.dim(choices));
  const drawing = () => messageDrawing(parts);
  const showAfter = (change: Promise<void>): void => void change.then(() => view.draw(drawing()));
  void readKeys<void>({
    screen,
    keyboard,
    view,
    drawing,
    signal: AbortSignal.any([ended.signal, parts.signal]),
    isPasting: () => line.isPasting,
    ended: undefined,
    take(key) {
      const name = nameOf(key);
      if (name === 'C-c') showAfter(parts.onStop());
      else if (line.isPasting) line.take(key, print);
      else if (name === 'return')
        queueMessage(parts, 'queued: Up takes it back, Esc stops the answer and sends it now');
      else if (name === 'escape' || name === 'M-escape') {
        queueMessage(parts);
        showAfter(parts.onEscape());
      } else if (name === 'up' && line.isEmpty && !line.queue.isEmpty) showAfter(takeBackLast(parts));
      else if (name === 'C-d' && line.isEmpty) onEnd();
      else line.take(key, print);
      return undefined;
    },
  });
  return () => ended.abort();
}

/** Ends the message in the line, and queues it. */
function queueMessage({ line, screen }: MeanwhileParts, hint?: string): void {
  const text = line.submit();
  if (text === undefined || text.trim() === '') return;
  const { bold, dim } = screen.paintNotes;
  screen.note(`${bold('> ')}${readable(text)}`);
  if (hint !== undefined) screen.note(dim(`  (${hint})`));
  line.queue.add(text);
}

async function takeBackLast({ line, screen }: MeanwhileParts): Promise<void> {
  const text = await line.queue.takeLast();
  screen.note(screen.paintNotes.dim(text === undefined ? '  (it was read already)' : '  (taken back)'));
  if (text !== undefined) line.putBack(text);
}
