import type { Drawing, View } from './draft-view.ts';
import { nameOf } from './edit-keys.ts';
import type { Key } from './keyboard.ts';
import type { QuestionParts } from './question-parts.ts';

/**
 * Passes a key to the message line while a question is open. Enter puts the message into the queue, if messages are taken.
 */
export function takeMessageKey(key: Key, { line, screen, takesMessages }: QuestionParts, view: View): void {
  const { dim } = screen.paintNotes;
  const name = nameOf(key);
  if (name === 'C-c') {
    view.leave(messageDrawing({ line, screen }));
    line.clear();
  } else if (name !== 'return' || line.isPasting) {
    line.take(key, (choices) => view.print(dim(choices)));
  } else if (takesMessages) {
    const drawing = messageDrawing({ line, screen });
    const text = line.submit();
    if (text === undefined) return;
    view.leave(drawing);
    view.print(dim('  (sent once the question is answered)'));
    line.queue.add(text);
  }
}

/** The keys that leave a question open, on an empty line. */
export const leavingKeys: ReadonlySet<string> = new Set(['C-c', 'C-d', 'escape', 'M-escape']);
/** The keys that belong to the question while the line is empty, even before the quiet time is over. */
export const movingKeys: ReadonlySet<string> = new Set(['up', 'down']);

/** Returns the hint that is shown while the line has text. */
export function messageHint({ takesMessages }: QuestionParts): string {
  return takesMessages
    ? 'The question waits: Enter sends the message, Ctrl-C clears it'
    : 'The question waits: Ctrl-C clears the line';
}

/** Returns the drawing of the message line. */
export function messageDrawing({ line, screen }: Pick<QuestionParts, 'line' | 'screen'>): Drawing {
  const { bold, cyan } = screen.paintNotes;
  return { prompt: bold(cyan('> ')), draft: line.draft };
}
