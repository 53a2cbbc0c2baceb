import type { Option } from './option.ts';
import { option } from './options-schema.ts';

/** Size of a conversation: a number of messages or tokens, or a fraction of the model's context. */
export type Size = TokenSize | { readonly messages: number };

/** Size of a conversation in tokens, or as a fraction of the model's context. */
export type TokenSize = { readonly tokens: number } | { readonly fraction: number };

const tokens = option.integer({ min: 1 }).describe('A number of tokens.');
const fraction = option
  .number({ above: 0, max: 1 })
  .describe("A fraction of the model's context: 0.85 is 85 %.");
const messages = option.integer({ min: 1 }).describe('A number of messages.');

/** A size, in one of its three forms. */
export const sizeOption: Option<Size> = option
  .object({ messages, tokens, fraction })
  .map((size, report): Size => {
    if (Object.keys(size).length !== 1) report('set exactly one of messages, tokens and fraction');
    // Exactly one member is set, so the type holds.
    return size as Size;
  });

/** A size in tokens, or as a fraction of the context. */
export const tokenSizeOption: Option<TokenSize> = option
  .object({ tokens, fraction })
  .map((size, report): TokenSize => {
    if (Object.keys(size).length !== 1) report('set exactly one of tokens and fraction');
    // Exactly one member is set, so the type holds.
    return size as TokenSize;
  });

/** Converts a size to tokens; undefined for a size in messages. A fraction of an unknown context is never reached. */
export function tokensOfSize(size: TokenSize, contextTokens: number | undefined): number;
export function tokensOfSize(size: Size, contextTokens: number | undefined): number | undefined;
export function tokensOfSize(size: Size, contextTokens: number | undefined): number | undefined {
  if ('messages' in size) return undefined;
  return 'tokens' in size ? size.tokens : size.fraction * (contextTokens ?? Number.POSITIVE_INFINITY);
}
