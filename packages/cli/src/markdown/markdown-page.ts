import type { AnswerPage } from '../terminal/answer-page.ts';
import type { Screen } from '../terminal/screen.ts';
import { textWidth } from '../terminal/terminal-width.ts';
import { completeWords } from './complete-words.ts';
import { MarkdownSplitter, type MarkdownPiece } from './markdown-splitter.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { renderPiece } from './render-markdown.ts';

/**
 * Returns a page that shows Markdown block by block, and paragraphs line by line. Shown text is never erased or
 * repeated.
 */
export function markdownPage(screen: Screen): AnswerPage {
  return new MarkdownPage(screen);
}

/**
 * The number of new characters after which a paragraph is parsed again; parsing it for each chunk would cost too
 * much.
 */
const lookEvery = 80;

class MarkdownPage implements AnswerPage {
  readonly #screen: Screen;
  #splitter = new MarkdownSplitter();
  /** The type of the last shown piece. */
  #last: MarkdownPiece['type'] | undefined;
  /** The shown lines of an unfinished paragraph, and the width used to break them. */
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

  /** Shows all lines but the last, which may still grow. */
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

/**
 * Converts a heading back to a paragraph, because its text was shown before the underline that makes it a heading
 * arrived.
 */
function asParagraph(piece: MarkdownPiece): MarkdownPiece {
  if (piece.type !== 'block' || piece.token.type !== 'heading') return piece;
  return { type: 'block', token: { ...piece.token, type: 'paragraph' } };
}

function belongsTogether(before: MarkdownPiece['type'], piece: MarkdownPiece): boolean {
  if (piece.type === 'code-line') return true;
  if (piece.type === 'plain') return before === 'plain';
  return piece.type === 'item' && !piece.first;
}
