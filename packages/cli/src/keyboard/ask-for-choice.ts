import type { Choice } from '../terminal/prompts.ts';
import { columnsOf } from '../terminal/terminal-width.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { ChoiceKeys } from './choice-keys.ts';
import { rowsOf, type View } from './draft-view.ts';
import { nameOf } from './edit-keys.ts';
import type { Key } from './keyboard.ts';
import { hintRows, questionHead, settled } from './question-head.ts';
import type { QuestionParts } from './question-parts.ts';
import { Quiet, quietMs } from './quiet.ts';
import { readKeys } from './read-keys.ts';
import { leavingKeys, messageDrawing, messageHint, movingKeys, takeMessageKey } from './take-message-key.ts';

export interface ChoiceQuestion {
  readonly message: string;
  readonly choices: readonly Choice<string>[];
  /** True if any number of choices is an answer. */
  readonly several: boolean;
}

type Chosen = readonly number[] | undefined;

/** Asks for a choice. Returns the indexes of the answer; undefined if the person leaves the question open. */
export function askForChoice(parts: QuestionParts, question: ChoiceQuestion): Promise<Chosen> {
  const { screen, keyboard, signal, line } = parts;
  const keys = new ChoiceKeys(question.choices.length, question);
  const quiet = new Quiet(keyboard.now());

  /** Takes a key that chooses nothing as text of the message, after the digits that were typed before it. */
  const takeText = (key: Key, view: View): void => {
    const isOpen = keys.typed === '' && line.isEmpty;
    line.insert(keys.typed);
    takeMessageKey(key, parts, view);
    if (isOpen && line.isEmpty) return;
    keys.drop();
    quiet.reset();
  };

  return readKeys<Chosen>({
    screen,
    keyboard,
    signal,
    quietMs,
    ended: undefined,
    isPasting: () => line.isPasting,
    drawing: () => ({
      above: [
        ...questionHead(question.message, screen),
        ...choiceRows(question, keys, screen),
        ...hintRows(hintOf(question, parts, quiet.countsAt(keyboard.now())), screen),
      ],
      ...messageDrawing(parts),
    }),
    take(key, view) {
      const counts = quiet.heard(key.at);
      const name = nameOf(key);
      if (!line.isEmpty) takeText(key, view);
      else if (leavingKeys.has(name)) return { outcome: undefined };
      else if (name === 'return') {
        // If a terminal does not mark pasted text, an Enter in it arrives in one burst with the choice, and must not
        // confirm it.
        if (keys.answer === undefined || !counts || key.isBurst) return undefined;
        view.print(settled(question.message, labelsOf(question, keys.answer), screen));
        return { outcome: keys.answer };
      } else if (!(counts && keys.take(key)) && !movingKeys.has(name)) {
        takeText(key, view);
      }
      return undefined;
    },
  });
}

function hintOf({ several }: ChoiceQuestion, parts: QuestionParts, counts: boolean): string {
  if (!parts.line.isEmpty) return messageHint(parts);
  if (!counts) return '…';
  return several
    ? 'Up, Down and Space or a digit select, Enter answers, Esc leaves it open'
    : 'Up, Down or a number chooses, Enter decides, Esc leaves it open';
}

function labelsOf({ choices }: ChoiceQuestion, answer: readonly number[]): string {
  return answer.map((index) => choices[index]?.label ?? '').join(', ');
}

/** The rows of a terminal that choices leave to the question, its hint and the message. */
const otherRows = 6;
/** The fewest choices shown of a long list. */
const fewest = 3;

function choiceRows(
  { choices, several }: ChoiceQuestion,
  keys: ChoiceKeys,
  { io, paintNotes }: QuestionParts['screen'],
): readonly string[] {
  const columns = columnsOf(io.stderr);
  const room = Math.max(rowsOf(io.stderr) - otherRows, fewest);
  const width = String(choices.length).length;
  // Omits hints that the terminal would wrap.
  const longest = Math.max(...choices.map(({ label, hint = '' }) => label.length + hint.length));
  const hasHints = longest + width + 8 <= columns;
  const first = Math.min(Math.max((keys.at ?? 0) - room + 2, 0), Math.max(choices.length - room, 0));
  return choices.slice(first, first + room).flatMap(({ label, hint = '' }, offset) => {
    const index = first + offset;
    const isAt = index === keys.at;
    const box = several ? `${keys.isPicked(index) ? '[x]' : '[ ]'} ` : '';
    const start = `${isAt ? '› ' : '  '}${String(index + 1).padStart(width)} ${box}`;
    const paint = isAt ? paintNotes.cyan : (text: string): string => text;
    const indent = ' '.repeat(start.length);
    const lines = wrapWords(label, columns - start.length).split('\n');
    const about = hasHints && hint !== '' ? `  ${paintNotes.dim(hint)}` : '';
    return lines.map((text, line) => (line === 0 ? `${paint(start + text)}${about}` : paint(indent + text)));
  });
}
