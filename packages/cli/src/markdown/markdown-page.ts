import type { AnswerPage } from '../terminal/answer-page.ts';
import type { Screen } from '../terminal/screen.ts';
import { textWidth } from '../terminal/terminal-width.ts';
import { completeWords } from './complete-words.ts';
import { MarkdownSplitter, type MarkdownPiece } from './markdown-splitter.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { renderPiece } from './render-markdown.ts';

/**
 * Shows Markdown, block by block, and paragraphs line by line: what is on the terminal is never taken back and never shown
 * twice.
 */
export function markdownPage(screen: Screen): AnswerPage {
  return new MarkdownPage(screen);
}

/** How many characters of a paragraph come before it is looked at again: a chunk alone is to cost next to nothing. */
const lookEvery = 80;

class MarkdownPage implements AnswerPage {
  readonly #screen: Screen;
  #splitter = new MarkdownSplitter();
  /** What the last piece was that was shown. */
  #last: MarkdownPiece['type'] | undefined;
  /** The lines of an unfinished paragraph that were shown, and the width that they were broken to. */
  #begun: { readonly lines: number; readonly width: number } | undefined;
  #unseen = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async write(text: string): Promise<void> {
    for (const piece of this.#splitter.push(text)) await this.#show(piece);
    this.#unseen += text.length;
    if (this.#unseen < lookEvery) return;
    this.#unseen = 0;
    await this.#showParagraph();
  }

  async end(): Promise<void> {
    for (const piece of this.#splitter.end()) await this.#show(piece);
  }

  async drop(): Promise<boolean> {
    const shown = this.#last !== undefined;
    this.#splitter = new MarkdownSplitter();
    this.#last = undefined;
    this.#begun = undefined;
    return shown;
  }

  async #show(piece: MarkdownPiece): Promise<void> {
    const { lines: shown, width } = this.#begun ?? { lines: 0, width: this.#width };
    const lines = this.#render(shown === 0 ? piece : asParagraph(piece), width).slice(shown);
    const isApart = shown === 0 && this.#last !== undefined && !belongsTogether(this.#last, piece);
    this.#begun = undefined;
    this.#last = piece.type;
    await this.#print(lines, isApart);
  }

  /** All lines but the last of what is there: that one may become longer. */
  async #showParagraph(): Promise<void> {
    const [token] = parseMarkdown(completeWords(this.#splitter.paragraph ?? ''));
    if (token?.type !== 'paragraph') return;
    const { lines: shown, width } = this.#begun ?? { lines: 0, width: this.#width };
    const lines = this.#render({ type: 'block', token }, width).slice(shown, -1);
    if (lines.length === 0) return;
    const isApart = shown === 0 && this.#last !== undefined;
    this.#begun = { lines: shown + lines.length, width };
    this.#last = 'block';
    await this.#print(lines, isApart);
  }

  #render(piece: MarkdownPiece, width: number): readonly string[] {
    return renderPiece(piece, { width, paint: this.#screen.paint });
  }

  async #print(lines: readonly string[], isApart: boolean): Promise<void> {
    const all = isApart ? ['', ...lines] : lines;
    if (all.length > 0) await this.#screen.line(all.join('\n'));
  }

  get #width(): number {
    return textWidth(this.#screen.io.stdout);
  }
}

/** A line below a paragraph can make it a heading, when the lines of the paragraph have been shown. */
function asParagraph(piece: MarkdownPiece): MarkdownPiece {
  if (piece.type !== 'block' || piece.token.type !== 'heading') return piece;
  return { type: 'block', token: { ...piece.token, type: 'paragraph' } };
}

function belongsTogether(before: MarkdownPiece['type'], piece: MarkdownPiece): boolean {
  if (piece.type === 'code-line') return true;
  if (piece.type === 'plain') return before === 'plain';
  return piece.type === 'item' && !piece.first;
}
