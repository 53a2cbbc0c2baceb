import { type Message, textOf } from '@shallot/core';
import { clipText } from '@shallot/core/plugin';

import { renderMessage } from '../history/render-message.ts';
import { escapeTags } from './escape-tags.ts';
import { source } from './summary-message.ts';

/** Counts the tokens of a text. */
type Count = (text: string) => number;

/** A text with its tokens. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** The messages that a summary is made of, but for earlier summaries: each as a text. */
export function renderMaterial(messages: readonly Message[], count: Count): Piece[] {
  return messages
    .filter((message) => message.source !== source)
    .map((message) => {
      const text = escapeTags(renderMessage(message, 'without files'));
      return { text, tokens: count(text) };
    });
}

/** The text of the summary that messages begin with; undefined when there is none. */
export function earlierSummary(messages: readonly Message[]): string | undefined {
  const message = messages.findLast((each) => each.source === source);
  if (message === undefined) return undefined;
  const text = textOf(message);
  // Inside there is no such tag.
  return /<summary>\n?(.*?)\n?<\/summary>/s.exec(text)?.[1] ?? text;
}

/**
 * As many texts as fit into a budget, oldest first, and what is left. A text that is larger than the budget by itself is
 * parted. At least something is always taken.
 */
export function takeOldest(
  pieces: readonly Piece[],
  budget: number,
): { readonly taken: string; readonly rest: readonly Piece[] } {
  const taken: string[] = [];
  let left = budget;
  for (const [index, piece] of pieces.entries()) {
    if (piece.tokens <= left) {
      taken.push(piece.text);
      left -= piece.tokens;
      continue;
    }
    if (piece.tokens <= budget && taken.length > 0) return done(taken, pieces.slice(index));
    const [begin, end] = part(piece, left);
    return done([...taken, begin.text], [...(end.text === '' ? [] : [end]), ...pieces.slice(index + 1)]);
  }
  return done(taken, []);
}

function done(taken: readonly string[], rest: readonly Piece[]): ReturnType<typeof takeOldest> {
  return { taken: taken.join('\n\n'), rest };
}

/** Parts a text so that its beginning takes about so many tokens. */
function part({ text, tokens }: Piece, room: number): readonly [Piece, Piece] {
  let at = Math.max(2, Math.floor((text.length * Math.max(0, room)) / tokens));
  if (/[\uDC00-\uDFFF]/.test(text.charAt(at))) at -= 1;
  const share = Math.min(1, at / text.length);
  return [
    { text: text.slice(0, at), tokens: tokens * share },
    { text: text.slice(at), tokens: tokens * (1 - share) },
  ];
}

/** How long what stays may be in the input: what the user said, and all the rest. */
export interface RemainsBudget {
  readonly user: number;
  readonly others: number;
}

/** What is left of a message that only shows what the work is about. */
const maxGlimpse = 1000;
const gap = '\n[…]\n';

/** What stays in the conversation: whole what the user said, if there is room, and a glimpse of the rest, the last first. */
export function renderRemains(messages: readonly Message[], count: Count, budget: RemainsBudget): string {
  const own = messages.filter(isOfUser);
  const size = own.reduce((sum, message) => sum + count(textOf(message)), 0);
  const share = Math.min(1, budget.user / Math.max(1, size));
  let left = budget.others;
  const shown: string[] = [];
  for (const message of messages.toReversed()) {
    if (message.source === source) continue;
    const text = renderMessage(message, 'without files');
    if (isOfUser(message)) {
      shown.unshift(clipText(text, Math.ceil(text.length * share), gap));
      continue;
    }
    const glimpse = clipText(text, maxGlimpse, gap);
    left -= count(glimpse);
    if (left >= 0) shown.unshift(glimpse);
  }
  return escapeTags(shown.join('\n\n'));
}

function isOfUser({ role, source: by }: Message): boolean {
  return role === 'user' && by === undefined;
}

/** The input for one piece of a conversation. */
export function writerInput({
  remains,
  earlier,
  conversation,
  request,
}: {
  readonly remains: string;
  readonly earlier: string | undefined;
  readonly conversation: string;
  readonly request: string;
}): string {
  return [
    ...(remains === '' ? [] : [element('remains', remains)]),
    ...(earlier === undefined ? [] : [element('earlier_summary', escapeTags(earlier))]),
    element('conversation', conversation),
    request,
  ].join('\n\n');
}

function element(name: string, content: string): string {
  return `<${name}>\n${content}\n</${name}>`;
}
