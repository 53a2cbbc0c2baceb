import { htmlToMarkdown } from './html-to-markdown.ts';
import { Refusal } from './refusal.ts';
import type { Page } from './request-page.ts';

export interface PageText {
  readonly title?: string;
  readonly text: string;
}

const htmlTypes: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const textTypes =
  /^(?:text\/|application\/(?:json|jsonl|x-ndjson|xml|yaml|x-yaml|toml|sql|graphql|javascript|x-javascript|.*\+(?:json|xml))$)/;

/** A page as text: HTML as Markdown, other text as it is. @throws `Refusal` for what is not text */
export async function pageText({ url, contentType, bytes }: Page, signal: AbortSignal): Promise<PageText> {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const named = parameters.find((each) => each.startsWith('charset='))?.slice('charset='.length);
  const charset = markedCharset(bytes) ?? named;
  if (htmlTypes.has(type) || (type === '' && looksLikeHtml(bytes))) {
    const html = decode(bytes, charset ?? charsetIn(bytes) ?? xmlCharsetIn(bytes));
    const title = /<title[^>]{0,200}>([^<]{1,500})/i
      .exec(html.slice(0, 100_000))?.[1]
      ?.replace(/\s+/g, ' ')
      .trim();
    const text = await htmlToMarkdown(html, url, signal);
    return { text, ...(title === undefined || title === '' ? {} : { title }) };
  }
  if (type !== '' && !textTypes.test(type))
    throw new Refusal(`The page is ${type}, not text: it cannot be shown.`);
  if (charset?.includes('utf-16') !== true && bytes.subarray(0, 8192).includes(0))
    throw new Refusal('The page is binary, not text: it cannot be shown.');
  return { text: decode(bytes, charset ?? xmlCharsetIn(bytes)) };
}

function looksLikeHtml(bytes: Buffer): boolean {
  return /^\s*<(?:!doctype html|html)\b/i.test(bytes.toString('latin1', 0, 1000));
}

/** The character set by the mark at the beginning, which counts more than what a server says (WHATWG, Encoding). */
function markedCharset([first, second, third]: Buffer): string | undefined {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function xmlCharsetIn(bytes: Buffer): string | undefined {
  return /^<\?xml[^>]{1,200}encoding=["']([\w-]{1,40})/.exec(bytes.toString('latin1', 0, 300))?.[1];
}

/** The character set that a page names in its beginning, for servers that do not. */
function charsetIn(bytes: Buffer): string | undefined {
  return /<meta[^>]{1,200}charset=["']?([\w-]{1,40})/i.exec(bytes.toString('latin1', 0, 4096))?.[1];
}

function decode(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset.replaceAll(/["']/g, '')).decode(bytes);
  } catch {
    // A character set that nobody knows: most pages are UTF-8 whatever they say.
    return new TextDecoder().decode(bytes);
  }
}
