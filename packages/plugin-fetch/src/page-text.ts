import { htmlToMarkdown } from './html-to-markdown.ts';
import { Refusal } from './refusal.ts';
import type { Page } from './request-page.ts';

export interface PageText {
  readonly title?: string;
  readonly text: string;
}

const htmlTypes: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const textTypes = /^(?:text\/|application\/(?:json|xml|yaml|javascript|.*\+(?:json|xml))$)/;

/** A page as text: HTML as Markdown, other text as it is. @throws `Refusal` for what is not text */
export async function pageText({ contentType, bytes }: Page, signal: AbortSignal): Promise<PageText> {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((each) => each.startsWith('charset='))?.slice('charset='.length);
  if (htmlTypes.has(type) || (type === '' && looksLikeHtml(bytes))) {
    const html = decode(bytes, charset ?? charsetIn(bytes));
    const title = /<title[^>]{0,200}>([^<]{1,500})/i
      .exec(html.slice(0, 100_000))?.[1]
      ?.replace(/\s+/g, ' ')
      .trim();
    const text = await htmlToMarkdown(html, signal);
    return { text, ...(title === undefined || title === '' ? {} : { title }) };
  }
  if (type !== '' && !textTypes.test(type))
    throw new Refusal(`The page is ${type}, not text: it cannot be shown.`);
  if (bytes.subarray(0, 8192).includes(0))
    throw new Refusal('The page is binary, not text: it cannot be shown.');
  return { text: decode(bytes, charset) };
}

function looksLikeHtml(bytes: Buffer): boolean {
  return /^\s*<(?:!doctype html|html)\b/i.test(bytes.toString('latin1', 0, 1000));
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
