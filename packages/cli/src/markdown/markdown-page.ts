import type { AnswerPage } from '../answer-page.ts';
import type { Screen } from '../screen.ts';
import { textWidth } from '../terminal-width.ts';
import { MarkdownSplitter, type MarkdownPiece } from './markdown-splitter.ts';
import { renderPiece } from './render-markdown.ts';

/** Shows Markdown, block by block: what is on the terminal is never taken back and never shown twice. */
export function markdownPage(screen: Screen): AnswerPage {
  let splitter = new MarkdownSplitter();
  let last: MarkdownPiece['type'] | undefined;

  const show = async (piece: MarkdownPiece): Promise<void> => {
    const lines = renderPiece(piece, { width: textWidth(screen.io.stdout), paint: screen.paint });
    const apart = last !== undefined && !belongsTogether(last, piece) ? [''] : [];
    last = piece.type;
    const all = [...apart, ...lines];
    if (all.length > 0) await screen.line(all.join('\n'));
  };
  const showAll = async (pieces: readonly MarkdownPiece[]): Promise<void> => {
    for (const piece of pieces) await show(piece);
  };

  return {
    write: (text) => showAll(splitter.push(text)),
    end: () => showAll(splitter.end()),
    async drop() {
      const shown = last !== undefined;
      splitter = new MarkdownSplitter();
      last = undefined;
      return shown;
    },
  };
}

function belongsTogether(before: MarkdownPiece['type'], piece: MarkdownPiece): boolean {
  if (piece.type === 'code-line') return true;
  if (piece.type === 'plain') return before === 'plain';
  return piece.type === 'item' && !piece.first;
}
