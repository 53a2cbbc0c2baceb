import type { Message } from '@shallot/core';
import { tokensOfSize, type Size } from '@shallot/core/plugin';

/** The size of a request. */
export interface Extent {
  readonly messages: number;
  readonly tokens: number;
}

export function halfOf(size: Size): Size {
  if ('messages' in size) return { messages: Math.max(1, Math.floor(size.messages / 2)) };
  return 'tokens' in size ? { tokens: size.tokens / 2 } : { fraction: size.fraction / 2 };
}

/** Returns true if a size is at least another; false if they cannot be compared, like messages and tokens. */
export function isAtLeast(size: Size, other: Size, contextTokens: number | undefined): boolean {
  if ('messages' in size || 'messages' in other) {
    return 'messages' in size && 'messages' in other && size.messages >= other.messages;
  }
  return tokensOfSize(size, contextTokens) >= tokensOfSize(other, contextTokens);
}

/** Returns true if a request has reached a size. */
export function isReached(size: Size, extent: Extent, contextTokens: number | undefined): boolean {
  if ('messages' in size) return extent.messages >= size.messages;
  return extent.tokens >= tokensOfSize(size, contextTokens);
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
  let left = tokensOfSize(size, contextTokens);
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
