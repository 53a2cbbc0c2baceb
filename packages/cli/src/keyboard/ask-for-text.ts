import type { Check } from '../terminal/prompts.ts';
import { readable } from '../terminal/visible.ts';
import type { Drawing, View } from './draft-view.ts';
import { draftOf } from './draft.ts';
import { nameOf } from './edit-keys.ts';
import type { Key } from './keyboard.ts';
import { LineEditor } from './line-editor.ts';
import { hintRows, questionHead, settled } from './question-head.ts';
import type { QuestionParts } from './question-parts.ts';
import { Quiet, quietMs } from './quiet.ts';
import { readKeys } from './read-keys.ts';
import { leavingKeys, messageDrawing, messageHint, movingKeys, takeMessageKey } from './take-message-key.ts';

export interface TextQuestion {
  readonly message: string;
  /** The text that the answer begins with. */
  readonly initial?: string;
  /** Returns the problem with a text, or undefined. */
  readonly check?: Check;
  /** True if text is meant for the question from the start; otherwise an arrow key begins the answer. */
  readonly isAnswering: boolean;
}

type Outcome = { readonly outcome: string | undefined } | undefined;

/** Asks for a text. Returns undefined if the person leaves the question open. */
export function askForText(parts: QuestionParts, question: TextQuestion): Promise<string | undefined> {
  const { screen, keyboard, signal, line } = parts;
  const field = new TextField(parts, question);
  return readKeys<string | undefined>({
    screen,
    keyboard,
    signal,
    quietMs,
    ended: undefined,
    isPasting: () => line.isPasting || field.isPasting,
    drawing: () => field.drawing(),
    take: (key, view) => field.take(key, view),
  });
}

/** The answer to a question for a text, and the focus: on the answer, or on the message line. */
class TextField {
  readonly #parts: QuestionParts;
  readonly #question: TextQuestion;
  readonly #quiet: Quiet;
  readonly #editor: LineEditor;
  #hasFocus: boolean;
  #problem: string | undefined;

  constructor(parts: QuestionParts, question: TextQuestion) {
    this.#parts = parts;
    this.#question = question;
    this.#quiet = new Quiet(parts.keyboard.now());
    this.#editor = new LineEditor(draftOf(question.initial ?? ''));
    this.#hasFocus = question.isAnswering;
  }

  get isPasting(): boolean {
    return this.#editor.isPasting;
  }

  drawing(): Drawing {
    const { screen } = this.#parts;
    const { cyan, red } = screen.paintNotes;
    const above = questionHead(this.#question.message, screen);
    const hint = hintRows(this.#hint(), screen);
    if (!this.#hasFocus) return { above: [...above, ...hint], ...messageDrawing(this.#parts) };
    const problem = this.#problem === undefined ? [] : [red(`  ${this.#problem}`)];
    return { above: [...above, ...problem, ...hint], prompt: cyan('= '), draft: this.#editor.draft };
  }

  #hint(): string {
    const { line, keyboard } = this.#parts;
    const counts = this.#quiet.countsAt(keyboard.now());
    if (this.#hasFocus) return counts || !this.#editor.isEmpty ? 'Enter answers, Esc leaves it open' : '…';
    if (!line.isEmpty) return messageHint(this.#parts);
    return counts ? 'Down starts the answer, Esc leaves it open' : '…';
  }

  take(key: Key, view: View): Outcome {
    const counts = this.#quiet.heard(key.at);
    const name = nameOf(key);
    if (this.#hasFocus) return this.#edit(key, name, view, counts);
    const { line } = this.#parts;
    if (line.isEmpty && leavingKeys.has(name)) return { outcome: undefined };
    if (!line.isEmpty || !(movingKeys.has(name) || name === 'return')) {
      this.#quiet.reset();
      takeMessageKey(key, this.#parts, view);
    } else if (counts && movingKeys.has(name)) {
      this.#hasFocus = true;
    }
    return undefined;
  }

  #edit(key: Key, name: string, view: View, counts: boolean): Outcome {
    const editor = this.#editor;
    if (editor.isPasting && name !== 'C-c') {
      editor.take(key);
      return undefined;
    }
    if (leavingKeys.has(name) && (editor.isEmpty || name.endsWith('escape'))) return { outcome: undefined };
    if (name === 'C-c') editor.clear();
    // An Enter right after the question appeared was meant for something earlier, so it submits an answer only if
    // there is text.
    else if (name === 'return' && (counts || !editor.isEmpty)) return this.#submit(view);
    else editor.take(key);
    return undefined;
  }

  #submit(view: View): Outcome {
    const { message, check } = this.#question;
    const { text } = this.#editor.draft;
    this.#problem = check?.(text);
    if (this.#problem !== undefined) return undefined;
    view.print(settled(message, readable(text.replaceAll('\n', ' ')), this.#parts.screen));
    return { outcome: text };
  }
}
