import type { TokenCounts } from '../contract/count-tokens.ts';
import { textOf, textPart, type FilePart, type Message, type ToolMessage } from '../contract/messages.ts';
import { clipText } from './clip-text.ts';
import { isLasting } from './lasting.ts';

/** A history with shortened tool results. Messages keep their positions; changed ones are copies. */
export interface ShortenedResults {
  readonly messages: readonly Message[];
  /** The number of shortened results. */
  readonly changed: number;
}

/** A result must be this many times longer than its stub to be replaced. */
const worthwhile = 2;

/**
 * Replaces the tool results before an index with stubs. Keeps results that are hardly longer than their stub, and those
 * marked by `lastingResult`.
 */
export function clearResults(
  messages: readonly Message[],
  before: number,
  stub: (result: ToolMessage) => string,
): ShortenedResults {
  return changeResults(messages, 0, before, (message) => {
    if (isLasting(message)) return message;
    const text = stub(message);
    const isShort = message.content.every(({ type }) => type === 'text');
    if (isShort && textOf(message).length < text.length * worthwhile) return message;
    return withContent(message, [textPart(text)]);
  });
}

/** Options of `clipResults`. */
export interface ClipOptions {
  /** The maximum size of all results together, in tokens. Large results get the share that small ones leave. */
  readonly maxTokens: number;
  readonly tokens: TokenCounts;
  /** Returns the note to insert where a result is cut. */
  readonly note: (result: ToolMessage) => string;
}

/** Cuts the tool results from an index on to their heads and tails, to about `maxTokens` in all. */
export function clipResults(
  messages: readonly Message[],
  from: number,
  { maxTokens, tokens, note }: ClipOptions,
): ShortenedResults {
  const sizes = new Map<Message, number>();
  for (const message of messages.slice(from)) {
    if (message.role === 'tool') sizes.set(message, tokens.message(message));
  }
  const share = fairShare([...sizes.values()], maxTokens);
  return changeResults(messages, from, messages.length, (message) =>
    (sizes.get(message) ?? 0) <= share ? message : clip(message, share, tokens, note(message)),
  );
}

/** Returns the size limit per item with which all items together fit `limit`. */
function fairShare(sizes: readonly number[], limit: number): number {
  let left = limit;
  const ordered = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ordered.entries()) {
    const share = left / (ordered.length - index);
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

function clip(message: ToolMessage, maxTokens: number, tokens: TokenCounts, note: string): ToolMessage {
  const files = filesWithin(message, maxTokens / 2, tokens);
  const withText = (text: string): ToolMessage => withContent(message, [textPart(text), ...files]);
  const left = message.content.filter(({ type }) => type === 'file').length - files.length;
  const text = [textOf(message), left === 0 ? '' : `(${left} files are left out.) ${note}`]
    .filter((each) => each !== '')
    .join('\n\n');
  const gap = `\n\n${note}\n\n`;
  const room = maxTokens - tokens.message(withText(''));
  let maxLength = Math.floor((text.length * Math.max(0, room)) / Math.max(1, tokens.text(text)));
  // Heads and tails may have more tokens per character than the middle.
  for (;;) {
    const clipped = withText(clipText(text, Math.max(gap.length, maxLength), gap));
    if (maxLength <= gap.length || tokens.message(clipped) <= maxTokens) return clipped;
    maxLength = Math.floor(maxLength * 0.8);
  }
}

/** Returns the first files of a result that fit `maxTokens`. */
function filesWithin(message: ToolMessage, maxTokens: number, tokens: TokenCounts): FilePart[] {
  const files: FilePart[] = [];
  for (const part of message.content) {
    if (part.type !== 'file') continue;
    const more = [...files, part];
    if (tokens.message({ ...message, content: more }) <= maxTokens) files.push(part);
  }
  return files;
}

/** Drops `data`, which mirrors the content. */
function withContent({ data: _, ...message }: ToolMessage, content: ToolMessage['content']): ToolMessage {
  return { ...message, content };
}

function changeResults(
  messages: readonly Message[],
  from: number,
  to: number,
  change: (result: ToolMessage) => ToolMessage,
): ShortenedResults {
  let changed = 0;
  const shorter = messages.map((message, index) => {
    if (message.role !== 'tool' || index < from || index >= to) return message;
    const other = change(message);
    if (other !== message) changed += 1;
    return other;
  });
  return changed === 0 ? { messages, changed } : { messages: shorter, changed };
}
