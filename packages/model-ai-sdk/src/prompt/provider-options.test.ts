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
    ['openai.responses', { openai: { store: true } }],
    ['azure.responses', { openai: { store: true } }],
    ['azure.responses', { azure: { store: true } }],
    ['openai.responses', { openai: { conversation: 'conv_1' } }],
    ['openai.responses', { openai: { previousResponseId: 'resp_1' } }],
  ])('are, at %s, as the settings say: %o', (provider, given) => {
    expect(providerOptions(provider, given)).toBe(given);
  });

  it('keep nothing whatever else is set, under the name that the package reads', () => {
    const azure = { user: 'ada' };
    expect(providerOptions('azure.responses', { azure, openai: { store: true } })).toMatchObject({
      azure: { user: 'ada', store: false },
    });
    expect(providerOptions('openai.responses', { azure })).toEqual({ azure, openai: { store: false } });
  });

  it('ask for what the model thinks, beside what the settings ask for', () => {
    const given = { openai: { include: ['file_search_call.results'] } };
    expect(providerOptions('openai.responses', given, { wantsThoughts: true })).toEqual({
      openai: { store: false, include: ['file_search_call.results', 'reasoning.encrypted_content'] },
    });
  });

  it.each(['openai.chat', 'anthropic.messages', 'xai.responses', 'my-openai.responses'])(
    'are none of ours for %s',
    (provider) => {
      expect(providerOptions(provider, undefined)).toBeUndefined();
    },
  );
});
