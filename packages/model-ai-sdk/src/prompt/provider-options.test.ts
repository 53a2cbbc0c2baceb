import { describe, expect, it } from 'vitest';

import { providerOptions } from './provider-options.ts';

describe('the options of a provider', () => {
  it.each(['openai.responses', 'azure.responses'])('keep nothing at %s', (provider) => {
    expect(providerOptions(provider, undefined)).toEqual({ openai: { store: false } });
    expect(providerOptions(provider, { openai: { user: 'ada' }, other: { a: 1 } })).toEqual({
      openai: { user: 'ada', store: false },
      other: { a: 1 },
    });
  });

  it.each([
    { openai: { store: true } },
    { azure: { store: true } },
    { openai: { conversation: 'conv_1' } },
    { openai: { previousResponseId: 'resp_1' } },
  ])('are as the settings say: %o', (given) => {
    expect(providerOptions('openai.responses', given)).toBe(given);
  });

  it.each(['openai.chat', 'anthropic.messages', 'xai.responses', 'my-openai.responses'])(
    'are none of ours for %s',
    (provider) => {
      expect(providerOptions(provider, undefined)).toBeUndefined();
    },
  );
});
