import { findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';

import { contextTokensOf } from './context-tokens.ts';

describe('contextTokensOf', () => {
  it.each([
    ['claude-sonnet-5', 1_000_000],
    ['claude-3-5-haiku-latest', 200_000],
    ['gpt-5', 400_000],
    ['grok-4-fast', 2_000_000],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
    ['gpt-4', 8192],
    ['gpt-4-turbo', 128_000],
    ['gpt-4o-mini', 128_000],
    ['gpt-4.1-nano', 1_000_000],
    ['gemini-2.5-pro', 1_000_000],
    ['us.amazon.nova-lite-v1:0', 300_000],
    // Unknown stays unknown.
    ['gpt-4o-audio-preview', undefined],
    ['gemini-2.5-flash-tts', undefined],
    ['my-gpt-4', undefined],
    ['qwen3', undefined],
    ['', undefined],
  ])('of %s is %s', (model, expected) => expect(contextTokensOf(model)).toBe(expected));

  it.each(['anthropic', 'openai', 'x-ai', 'google'])(
    'is no larger than the data says of %s',
    (providerId) => {
      const models = findProvider({ providerId })?.models ?? [];
      const sizes = models.flatMap(({ id, context_window: size }) => {
        const ours = contextTokensOf(id);
        return size === undefined || ours === undefined ? [] : [{ id, size, ours }];
      });
      expect(sizes.length).toBeGreaterThan(5);
      expect(sizes.filter(({ ours, size }) => ours > size)).toEqual([]);
      // Most of the room is used.
      expect(sizes.filter(({ ours, size }) => ours < size / 3)).toEqual([]);
    },
  );
});
