/** A part of a Markdown text. Code contains no imports, and comments are not sent to the model. */
export interface MarkdownPart {
  readonly kind: 'prose' | 'code' | 'comment';
  readonly text: string;
}

/**
 * Separates prose from code (fenced, indented, spans) and from HTML comments. The parts joined are the text. A comment
 * that is never closed is prose, so that a typing mistake does not hide the rest of a memory file. Time grows only with
 * the length of the text.
 */
export function splitMarkdown(markdown: string): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  for (const block of blocksOf(markdown)) {
    if (block.kind === 'code') parts.push(block);
    else for (const part of inlineParts(block.text)) parts.push(part);
  }
  return parts;
}

const fenceLine = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`\n]*$)|~{3,})/;
const listLine = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const indentedLine = /^(?: {4}| {0,3}\t)/;
const blankLine = /^\s*$/;
const commentLine = /^ {0,3}<!--/;

function* blocksOf(markdown: string): Generator<MarkdownPart, void, undefined> {
  const lastCommentEnd = markdown.lastIndexOf('-->');
  let proseFrom = 0;
  let at = 0;
  let afterBlank = true;
  let inList = false;
  while (at < markdown.length) {
    let end = lineEnd(markdown, at);
    const line = markdown.slice(at, end).trimEnd();
    const fence = fenceLine.exec(line)?.[1];
    const isCode: boolean = fence !== undefined || (indentedLine.test(line) && afterBlank && !inList);
    if (isCode) {
      end = fence === undefined ? indentedEnd(markdown, end) : fenceEnd(markdown, end, fence);
      yield { kind: 'prose', text: markdown.slice(proseFrom, at) };
      yield { kind: 'code', text: markdown.slice(at, end) };
      proseFrom = end;
    } else if (commentLine.test(line) && at < lastCommentEnd) {
      end = lineEnd(markdown, markdown.indexOf('-->', at));
    } else if (listLine.test(line)) {
      inList = true;
    } else if (afterBlank && !blankLine.test(line) && !/^\s/.test(line)) {
      inList = false;
    }
    // An indented line begins a code block only after a blank line, after code, or at the start of the text.
    afterBlank = isCode || blankLine.test(line);
    at = end;
  }
  yield { kind: 'prose', text: markdown.slice(proseFrom) };
}

/** Returns the start of the line after the one at `at`. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

/** Returns the end of a fenced block whose first line ends at `from`: the end of the text if it is not closed. */
function fenceEnd(markdown: string, from: number, fence: string): number {
  const closing = closingLine(fence);
  closing.lastIndex = from;
  return closing.test(markdown) ? lineEnd(markdown, closing.lastIndex) : markdown.length;
}

function closingLine(fence: string): RegExp {
  return new RegExp(`^[ \\t>]*${fence[0]}{${fence.length},}[ \\t\\r]*$`, 'gm');
}

/** Returns the end of an indented block whose first line ends at `from`. */
function indentedEnd(markdown: string, from: number): number {
  let end = from;
  for (let at = from; at < markdown.length;) {
    const next = lineEnd(markdown, at);
    const line = markdown.slice(at, next);
    if (indentedLine.test(line)) end = next;
    else if (!blankLine.test(line)) break;
    at = next;
  }
  return end;
}

/** Returns a text that does not end within a fenced block, because text after it would be code, too. */
export function withClosedFence(markdown: string): string {
  const closing = closingFence(markdown);
  return closing === undefined ? markdown : `${markdown}\n${closing}`;
}

/** Returns the line that closes the fenced block in which a text ends; undefined if there is none. */
function closingFence(markdown: string): string | undefined {
  const last = [...blocksOf(markdown)].findLast(({ text }) => text !== '');
  if (last?.kind !== 'code') return undefined;
  const from = lineEnd(last.text, 0);
  const opening = fenceLine.exec(last.text.slice(0, from).trimEnd());
  const fence = opening?.[1];
  if (opening === null || fence === undefined) return undefined;
  const closing = closingLine(fence);
  closing.lastIndex = from;
  if (closing.test(last.text)) return undefined;
  // In a list or a quotation, the closing line needs the indentation and the `>` of the opening line.
  return opening[0].slice(0, -fence.length).replaceAll(/[^\s>]/g, ' ') + fence;
}

/** Splits prose at code spans and comments. */
function* inlineParts(prose: string): Generator<MarkdownPart, void, undefined> {
  const closers = spanClosers(prose);
  const lastCommentEnd = prose.lastIndexOf('-->');
  const mark = /\\[^\n]|<!--|`+/g;
  let from = 0;
  for (let found = mark.exec(prose); found !== null; found = mark.exec(prose)) {
    const [text] = found;
    const at = found.index;
    const kind = text === '<!--' ? 'comment' : 'code';
    let end: number | undefined;
    // `<!-->` is a whole comment.
    if (kind === 'comment' && at + 2 <= lastCommentEnd) end = commentEnd(prose, at);
    else if (kind === 'code') end = closers.get(at);
    if (end === undefined) continue;
    yield { kind: 'prose', text: prose.slice(from, at) };
    yield { kind, text: prose.slice(at, end) };
    from = end;
    mark.lastIndex = end;
  }
  yield { kind: 'prose', text: prose.slice(from) };
}

/** Returns the end of a comment. A comment that has its lines for itself includes the last line break. */
function commentEnd(prose: string, at: number): number {
  const end = prose.indexOf('-->', at + 2) + 3;
  const beginsLine = at === 0 || prose[at - 1] === '\n';
  return beginsLine && prose[end] === '\n' ? end + 1 : end;
}

/** Returns the end of each code span by its start: the next run of as many backticks in the same paragraph. */
function spanClosers(prose: string): ReadonlyMap<number, number> {
  const closers = new Map<number, number>();
  const open = new Map<number, number>();
  for (const { 0: text, index } of prose.matchAll(/`+|\n(?=[ \t>]*\r?(?:\n|<!--))/g)) {
    if (text === '\n') {
      open.clear();
      continue;
    }
    const opener = open.get(text.length);
    if (opener !== undefined) closers.set(opener, index + text.length);
    open.set(text.length, index);
  }
  return closers;
}
