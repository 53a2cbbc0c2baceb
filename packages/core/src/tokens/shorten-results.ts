import type { TokenCounts } from '../contract/count-tokens.ts';
import {
  textOf,
  textPart,
  type FilePart,
  type Message,
  type ToolMessage,
  type UserMessage,
} from '../contract/messages.ts';
import { clipText } from './clip-text.ts';
import { isLasting } from './lasting.ts';

/** A history with shortened tool results. Messages keep their positions; changed ones are copies. */
export interface ShortenedResults {
  readonly messages: readonly Message[];
  /** The number of shortened results and messages. */
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
  return changeMessages(messages, 0, before, isResult, (message) => {
    if (isLasting(message)) return message;
    const text = stub(message);
    const isShort = message.content.every(({ type }) => type === 'text');
    if (isShort && textOf(message).length < text.length * worthwhile) return message;
    return withContent(message, [textPart(text)]);
  });
}

/** Options of `clipResults`. */
export interface ClipOptions {
  /** The maximum size of all these messages together, in tokens. Large messages get the share that small ones leave. */
  readonly maxTokens: number;
  readonly tokens: TokenCounts;
  /** Returns the note to insert in place of the text that is cut out. */
  readonly note: (message: ToolMessage | UserMessage) => string;
  /** The roles of the messages to cut. Default: `['tool']`, which cuts tool results only. */
  readonly roles?: readonly ('tool' | 'user')[];
}

/**
 * Cuts tool results, or the messages of `roles`, from an index on to their heads and tails, so that together they have
 * about `maxTokens`. User messages with a `source` stay whole.
 */
export function clipResults(
  messages: readonly Message[],
  from: number,
  { maxTokens, tokens, note, roles = ['tool'] }: ClipOptions,
): ShortenedResults {
  const isMeant = (message: Message): message is ToolMessage | UserMessage =>
    roles.some((role) => role === message.role) && (message.role === 'tool' || message.source === undefined);
  const sizes = new Map<Message, number>();
  for (const message of messages.slice(from)) {
    if (isMeant(message)) sizes.set(message, tokens.message(message));
  }
  const share = fairShare([...sizes.values()], maxTokens);
  return changeMessages(messages, from, messages.length, isMeant, (message) =>
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

function clip<M extends ToolMessage | UserMessage>(
  message: M,
  maxTokens: number,
  tokens: TokenCounts,
  note: string,
): M {
  const files = filesWithin(message, maxTokens / 2, tokens);
  const withText = (text: string): M => withContent(message, [textPart(text), ...files]);
  const left = message.content.filter(({ type }) => type === 'file').length - files.length;
  const text = [textOf(message), left === 0 ? '' : `(${left} files are left out.) ${note}`]
    .filter((each) => each !== '')
    .join('\n\n');
  const gap = `\n\n${note}\n\n`;
  const room = maxTokens - tokens.message(withText(''));
  let maxLength = Math.floor((text.length * Math.max(0, room)) / Math.max(1, tokens.text(text)));
  // Repeats until the message fits, because heads and tails may have more tokens per character than the middle.
  for (;;) {
    const clipped = withText(clipText(text, Math.max(gap.length, maxLength), gap));
    if (maxLength <= gap.length || tokens.message(clipped) <= maxTokens) return clipped;
    maxLength = Math.floor(maxLength * 0.8);
  }
}

/** Returns the first files of a result that fit `maxTokens`. */
function filesWithin(message: ToolMessage | UserMessage, maxTokens: number, tokens: TokenCounts): FilePart[] {
  const files: FilePart[] = [];
  for (const part of message.content) {
    if (part.type !== 'file') continue;
    const more = [...files, part];
    if (tokens.message({ ...message, content: more }) <= maxTokens) files.push(part);
  }
  return files;
}

/** Returns a copy with other content, and without `data`, which mirrored the old content. */
function withContent<M extends ToolMessage | UserMessage>(message: M, content: M['content']): M {
  const { data: _, ...rest } = message as M & { readonly data?: unknown };
  // All other members of `M` are kept.
  return { ...rest, content } as unknown as M;
}

function isResult(message: Message): message is ToolMessage {
  return message.role === 'tool';
}

function changeMessages<M extends Message>(
  messages: readonly Message[],
  from: number,
  to: number,
  isMeant: (message: Message) => message is M,
  change: (message: M) => M,
): ShortenedResults {
  let changed = 0;
  const shorter = messages.map((message, index) => {
    if (index < from || index >= to || !isMeant(message)) return message;
    const other = change(message);
    if (other !== message) changed += 1;
    return other;
  });
  return changed === 0 ? { messages, changed } : { messages: shorter, changed };
}
