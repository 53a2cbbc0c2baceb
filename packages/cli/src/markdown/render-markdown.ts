import type { MarkedToken, Tokens } from 'marked';

import type { Paint } from '../terminal/screen.ts';
import { readable } from '../terminal/visible.ts';
import type { MarkdownPiece } from './markdown-splitter.ts';
import { inside } from './parse-markdown.ts';
import { renderInline } from './render-inline.ts';
import { renderTable } from './render-table.ts';
import { wrapText } from './wrap-text.ts';

export interface MarkdownStyle {
  /** The width in columns. */
  readonly width: number;
  readonly paint: Paint;
}

/** Renders a piece of Markdown as lines for a terminal, without control characters. */
export function renderPiece(piece: MarkdownPiece, style: MarkdownStyle): readonly string[] {
  switch (piece.type) {
    case 'block':
      return renderBlock(piece.token, style);
    case 'item':
      return renderItem(piece.item, piece.number, style);
    case 'code-start':
      return piece.language === '' ? [] : [style.paint.dim(`  ${oneLine(piece.language)}`)];
    case 'code-line':
      return [codeLine(piece.text, style)];
    case 'plain':
      return wrapText(readable(piece.text), style.width);
  }
}

function renderBlock(token: MarkedToken, style: MarkdownStyle): readonly string[] {
  const { paint, width } = style;
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return [];
    case 'heading':
      return wrapText(heading(token, paint), style.width);
    case 'code':
      return token.text
        .trimEnd()
        .split('\n')
        .map((line) => codeLine(line, style));
    case 'hr':
      return [paint.dim('─'.repeat(Math.min(width, 40)))];
    case 'blockquote':
      return renderBlocks(inside(token), { ...style, width: width - 2 }).map(
        (line) => `${paint.dim('│')} ${line}`,
      );
    case 'list':
      return renderList(token, style);
    case 'table':
      return renderTable(token, width, paint);
    case 'html':
    case 'def':
      return wrapText(paint.dim(readable(token.raw.trimEnd())), style.width);
    case 'paragraph':
      return wrapText(renderInline(inside(token), paint), style.width);
    default:
      return wrapText(renderInline([token], paint), style.width);
  }
}

function renderBlocks(tokens: readonly MarkedToken[], style: MarkdownStyle): readonly string[] {
  const blocks = tokens.map((token) => renderBlock(token, style)).filter(({ length }) => length > 0);
  return blocks.flatMap((lines, index) => (index === 0 ? lines : [''].concat(lines)));
}

function renderList({ ordered, start, items }: Tokens.List, style: MarkdownStyle): readonly string[] {
  const from = typeof start === 'number' ? start : 1;
  return items.flatMap((item, index) => renderItem(item, ordered ? from + index : undefined, style));
}

function renderItem(
  item: Tokens.ListItem,
  number: number | undefined,
  style: MarkdownStyle,
): readonly string[] {
  const bullet = number === undefined ? '•' : `${number}.`;
  const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
  const marker = `${bullet} ${box}`;
  const width = Math.max(style.width - marker.length, 10);
  const [first = '', ...others] = itemLines(item, { ...style, width });
  return [
    `${style.paint.dim(marker)}${first}`,
    ...others.map((line) => (line === '' ? '' : `${' '.repeat(bullet.length + 1)}${line}`)),
  ];
}

/** Returns the lines of a list item; tight items have no blank lines. */
function itemLines(item: Tokens.ListItem, style: MarkdownStyle): readonly string[] {
  if (item.loose) return renderBlocks(inside(item), style);
  return inside(item).flatMap((token) => renderBlock(token, style));
}

function heading({ depth, tokens }: Tokens.Heading, paint: Paint): string {
  const text = renderInline(inside({ tokens }), paint);
  if (!paint.isColorSupported) return `${'#'.repeat(depth)} ${text}`;
  return depth === 1 ? paint.bold(paint.underline(text)) : paint.bold(text);
}

/** Renders a line of code. It is not wrapped, so that code can be copied. */
function codeLine(text: string, { paint }: MarkdownStyle): string {
  const shown = oneLine(text).trimEnd();
  return shown === '' ? '' : `  ${paint.cyan(shown)}`;
}

function oneLine(text: string): string {
  return readable(text.replace(/\r$/, '').replaceAll('\t', '    '));
}
