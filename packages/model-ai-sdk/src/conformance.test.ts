import { testModel, type ModelScenario } from '@shallot/testing';
import { describe } from 'vitest';

import { fakeLanguageModel, finish, streamOf, type FakeAnswer } from '../test/sdk/language-model.ts';
import { aiSdkModel } from './ai-sdk-model.ts';
import type { StreamPart } from './sdk/language-model.ts';

const text: readonly StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Easy.' },
  { type: 'reasoning-end', id: 'r', providerMetadata: { acme: { signature: 'abc' } } },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'one ' },
  { type: 'text-delta', id: 't', delta: 'two' },
  { type: 'text-end', id: 't' },
];
const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":2,"b":3}' } as const;
const half = streamOf;

const scenarios: Record<ModelScenario, () => FakeAnswer> = {
  text: () => ({
    stream: [...text, finish()],
    content: [
      { type: 'reasoning', text: 'Easy.', providerMetadata: { acme: { signature: 'abc' } } },
      { type: 'text', text: 'one two' },
    ],
  }),
  'tool-call': () => ({
    stream: [
      { type: 'tool-input-start', id: 'c1', toolName: 'add' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"a":2' },
      { type: 'tool-input-delta', id: 'c1', delta: ',"b":3}' },
      { type: 'tool-input-end', id: 'c1' },
      call,
      finish('tool-calls'),
    ],
    content: [call],
    result: { finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
  }),
  stall: () => ({ stream: half(text.slice(0, 6), 'stall') }),
  broken: () => ({
    stream: half(text.slice(0, 6)),
    result: { finishReason: { unified: 'error', raw: 'broke' } },
  }),
};

for (const version of ['v3', 'v4'] as const) {
  describe(`of specification ${version}`, async () => {
    await testModel((scenario) => {
      const language = fakeLanguageModel(scenarios[scenario](), { version });
      // In one piece, a call that stalls is a promise that is never kept.
      if (scenario !== 'stall') return aiSdkModel(language);
      return aiSdkModel({ ...language, doGenerate: () => new Promise<never>(() => {}) });
    });
  });
}
