import type { Message } from '@shallot/core';
import { option, type Option } from '@shallot/core/plugin';

/** Size of a conversation: a number of messages or tokens, or a fraction of the model's context. */
export type Size =
  | { readonly messages: number }
  | { readonly tokens: number }
  | { readonly fraction: number };

/** The size of a request. */
export interface Extent {
  readonly messages: number;
  readonly tokens: number;
}

export const sizeOption: Option<Size> = option
  .object({
    messages: option.integer({ min: 1 }).describe('A number of messages.'),
    tokens: option.integer({ min: 1 }).describe('A number of tokens.'),
    fraction: option
      .number({ above: 0, max: 1 })
      .describe("A fraction of the model's context: 0.85 is 85 %."),
  })
  .map((size, report): Size => {
    if (Object.keys(size).length !== 1) report('set exactly one of messages, tokens and fraction');
    // Exactly one member is set, so the type holds.
    return size as Size;
  });

export function halfOf(size: Size): Size {
  if ('messages' in size) return { messages: Math.max(1, Math.floor(size.messages / 2)) };
  return 'tokens' in size ? { tokens: size.tokens / 2 } : { fraction: size.fraction / 2 };
}

/** Returns true if a size is at least another; false if they cannot be compared, like messages and tokens. */
export function isAtLeast(size: Size, other: Size, contextTokens: number | undefined): boolean {
  if ('messages' in size || 'messages' in other) {
    return 'messages' in size && 'messages' in other && size.messages >= other.messages;
  }
  return tokensOf(size, contextTokens) >= tokensOf(other, contextTokens);
}

/** Converts a size to tokens; undefined for a size in messages. */
export function tokenSize(size: Size, contextTokens: number | undefined): number | undefined {
  return 'messages' in size ? undefined : tokensOf(size, contextTokens);
}

/** Returns true if a request has reached a size. */
export function isReached(size: Size, extent: Extent, contextTokens: number | undefined): boolean {
  if ('messages' in size) return extent.messages >= size.messages;
  return extent.tokens >= tokensOf(size, contextTokens);
}

/**
 * Returns the index of the first of the last messages that fit all sizes. The last message is always included, however
 * long it is.
 */
export function indexToKeep(
  sizes: readonly Size[],
  messages: readonly Message[],
  tokensFor: (message: Message) => number,
  contextTokens: number | undefined,
): number {
  return Math.max(...sizes.map((size) => indexFor(size, messages, tokensFor, contextTokens)));
}

function indexFor(
  size: Size,
  messages: readonly Message[],
  tokensFor: (message: Message) => number,
  contextTokens: number | undefined,
): number {
  const last = Math.max(0, messages.length - 1);
  if ('messages' in size) return Math.max(0, Math.min(last, messages.length - size.messages));
  let left = tokensOf(size, contextTokens);
  let index = messages.length;
  while (index > 0) {
    const message = messages[index - 1];
    if (message === undefined) break;
    left -= tokensFor(message);
    if (left < 0) break;
    index -= 1;
  }
  return Math.min(last, index);
}

function tokensOf(
  size: { readonly tokens: number } | { readonly fraction: number },
  contextTokens: number | undefined,
): number {
  // Fractions of an unknown context are rejected at the start; for a later model without a known context, the size is
  // never reached.
  return 'tokens' in size ? size.tokens : size.fraction * (contextTokens ?? Number.POSITIVE_INFINITY);
}
