import { type Message, textOf } from '@shallot/core';
import { clipText } from '@shallot/core/plugin';

import { renderMessage } from '../history/render-message.ts';
import { escapeTags } from './escape-tags.ts';
import { source } from './summary-message.ts';

/** Returns the tokens of a text. */
type Count = (text: string) => number;

/** A text, and its tokens. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** Renders each message as a text, without earlier summaries. */
export function renderMaterial(messages: readonly Message[], count: Count): Piece[] {
  return messages
    .filter((message) => message.source !== source)
    .map((message) => {
      const text = escapeTags(renderMessage(message, 'without files'));
      return { text, tokens: count(text) };
    });
}

/** Returns the text of an earlier summary in the messages; undefined if there is none. */
export function earlierSummary(messages: readonly Message[]): string | undefined {
  const message = messages.findLast((each) => each.source === source);
  if (message === undefined) return undefined;
  const text = textOf(message);
  // The summary itself contains no such tag: it was escaped.
  return /<summary>\n?(.*?)\n?<\/summary>/s.exec(text)?.[1] ?? text;
}

/**
 * Takes the oldest pieces that fit a budget, and returns them with the rest. A piece larger than the budget is split.
 * Always takes something.
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

/** Splits a text after about `room` tokens. */
function part({ text, tokens }: Piece, room: number): readonly [Piece, Piece] {
  let at = Math.max(2, Math.floor((text.length * Math.max(0, room)) / tokens));
  if (/[\uDC00-\uDFFF]/.test(text.charAt(at))) at -= 1;
  const share = Math.min(1, at / text.length);
  return [
    { text: text.slice(0, at), tokens: tokens * share },
    { text: text.slice(at), tokens: tokens * (1 - share) },
  ];
}

/** The tokens for kept messages in the input: those of the user, and others. */
export interface RemainsBudget {
  readonly user: number;
  readonly others: number;
}

/** The length of an excerpt of a kept message, in characters. */
const maxGlimpse = 1000;
const gap = '\n[…]\n';

/**
 * Renders the kept messages without summaries: those of the user in full, or all shortened in proportion if there is no
 * room; of the others excerpts, the latest first, as long as there is room.
 */
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

/** Returns the input for one piece of a conversation. */
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
