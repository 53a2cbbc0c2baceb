import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { rewritten } from './harms.ts';
import { forgetKeys, openOnLoopback } from './project.ts';
import { providerFacts } from './provider-facts.ts';
import { wireProviders } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => {
  wire.reset();
  forgetKeys();
});

function make(name: string): ReturnType<typeof aiSdkModel> {
  const provider = wireProviders.find((each) => each.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  return aiSdkModel(provider.make(wire.url));
}

describe.each([false, true])('streamed: %s', (wantsChunks) => {
  it.each([
    ['anthropic', 'anthropic', 'thinkng', 'thinking'],
    ['openai, responses', 'openai', 'reasoningEfort', 'reasoningEffort'],
    ['openai, chat', 'openai', 'logitBais', 'logitBias'],
    ['google', 'google', 'thinkingConfg', 'thinkingConfig'],
    ['mistral', 'mistral', 'safePromt', 'safePrompt'],
    ['xai', 'xai', 'reasoningEffor', 'reasoningEffort'],
    ['ollama', 'ollama', 'thinkk', 'think'],
  ])(
    '%s: what its package never reads is said once, with what is like it',
    async (name, key, wrong, right) => {
      wire.answer({ text: 'Yes.' }, { text: 'Yes.' });
      const model = make(name);
      const settings = { provider: { [key]: { [wrong]: {} } } };
      const first = await ask(model, { settings }, { wantsChunks });
      const second = await ask(model, { settings }, { wantsChunks });
      const warned = first.warnings.filter((text) => text.includes('settings.provider'));
      expect(warned).toEqual([
        `${model.id}: settings.provider.${key}.${wrong} is not used: the package does not know it. Did you mean "${right}"?`,
      ]);
      expect(second.warnings.filter((text) => text.includes('settings.provider'))).toEqual([]);
    },
  );
});

it('a provider whose name is misspelt is said, one of another model is not', async () => {
  wire.answer({ text: 'Yes.' });
  const model = make('anthropic');
  const provider = { antropic: { thinking: {} }, openai: { zzz: 1 }, acme: { zzz: 1 }, anthropic: {} };
  const { warnings } = await ask(model, { settings: { provider } });
  expect(warnings).toEqual([
    `${model.id}: settings.provider.antropic is not used: there is no such provider. Did you mean "anthropic"?`,
  ]);
});

it('what is read, or passed on as it is, is not', async () => {
  wire.answer({ text: 'Yes.' }, { text: 'Yes.' });
  const known = { provider: { anthropic: { sendReasoning: true } } };
  expect((await ask(make('anthropic'), { settings: known })).warnings).toEqual([]);
  const passed = { provider: { local: { top_secret: 1 } } };
  expect((await ask(make('openai-compatible'), { settings: passed })).warnings).toEqual([]);
  expect(wire.requests[1]?.text).toContain('"top_secret":1');
});

it.each(providerFacts)('$provider works with settings of its own and of others', async (facts) => {
  const agent = await openOnLoopback(facts, wire.url);
  wire.answer({ text: 'Yes.', harm: rewritten(facts.fits ?? String) });
  const names = providerFacts.flatMap(({ provider }) => [provider, provider.replaceAll('-', '')]);
  const provider = Object.fromEntries([...names, 'bedrock'].map((name) => [name, { user: 'anna' }]));
  expect((await agent.run('Well?', { settings: { provider } })).text).toBe('Yes.');
});
