import type { MarkedToken } from 'marked';

import type { Paint } from '../terminal/screen.ts';
import { readable } from '../terminal/visible.ts';
import { inside } from './parse-markdown.ts';

/**
 * Renders inline Markdown for a terminal. Without colors the Markdown marks stay. URLs of links are always shown, and
 * control characters removed.
 */
export function renderInline(tokens: readonly MarkedToken[], paint: Paint): string {
  return tokens.map((token) => renderWord(token, paint)).join('');
}

function renderWord(token: MarkedToken, paint: Paint): string {
  switch (token.type) {
    case 'strong':
      return marked(renderInline(inside(token), paint), '**', paint.bold, paint);
    case 'em':
      return marked(renderInline(inside(token), paint), '_', paint.italic, paint);
    case 'del':
      return marked(renderInline(inside(token), paint), '~~', paint.strikethrough, paint);
    case 'codespan':
      return marked(readable(token.text), '`', paint.cyan, paint);
    case 'br':
      return '\n';
    case 'link':
      return link(renderInline(inside(token), paint), token, paint);
    case 'image':
      return `${readable(`[${token.text}]`)} ${address(token.href, paint)}`;
    case 'checkbox':
      return '';
    case 'text':
      if (token.tokens !== undefined) return renderInline(inside(token), paint);
      return prose(token.text);
    case 'html':
      return paint.dim(readable(token.raw.trimEnd()));
    default:
      return prose(token.raw.trimEnd());
  }
}

function marked(text: string, mark: string, style: (text: string) => string, paint: Paint): string {
  return paint.isColorSupported ? style(text) : `${mark}${text}${mark}`;
}

function link(
  shown: string,
  { text, href }: { readonly text: string; readonly href: string },
  paint: Paint,
): string {
  const itself = [href, href.replace(/^(mailto:|https?:\/\/)/, '')].includes(text);
  return itself ? paint.underline(shown) : `${shown} ${address(href, paint)}`;
}

function address(href: string, paint: Paint): string {
  return paint.dim(`(${readable(href).replaceAll('\n', '')})`);
}

/**
 * Renders prose: line breaks within a paragraph become spaces, and decoded entities are made visible like other text.
 */
function prose(text: string): string {
  return readable(decodeEntities(text)).replace(/[\n\t]+/g, ' ');
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{1,8}));/gi, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
