import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { forgetKeys, makeProject, openAgent } from './project.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => {
  wire.reset();
  forgetKeys();
});

const model = (reasoningTag: unknown) => ({
  provider: 'ollama',
  model: 'qwen3',
  baseURL: `${wire.url}/v1`,
  reasoningTag,
});
const packages = ['@ai-sdk/openai-compatible'];
const output = { type: 'object', properties: { days: { type: 'number' } }, required: ['days'] };

describe.each(['run', 'stream'] as const)('%s: a local model that thinks in its text', (mode) => {
  it.each([
    ['think', '<think>\nNine days is a habit.\n</think>\n\n{"days":9}'],
    [{ name: 'think', opened: true }, 'Nine days is a habit.\n</think>\n\n{"days":9}'],
  ])('with %j, the answer is what it says, and fits its schema', async (tag, text) => {
    wire.answer({ text });
    const agent = await openAgent(makeProject(model(tag), { packages }));
    const result =
      mode === 'run' ? await agent.run('Well?', { output }) : await agent.stream('Well?', { output }).result;
    expect(result.output).toEqual({ days: 9 });
    expect(result.text).toBe('{"days":9}');
    expect(result.messages.at(-1)?.content).toEqual([
      { type: 'reasoning', text: 'Nine days is a habit.' },
      { type: 'text', text: '{"days":9}' },
    ]);
  });

  it('and never ends its thought has no answer, and is asked once more', async () => {
    wire.answer({ text: '<think>Hm.' }, { text: '<think>Hm.</think>Calm.' });
    const agent = await openAgent(makeProject(model('think'), { packages }));
    const result = mode === 'run' ? await agent.run('Well?') : await agent.stream('Well?').result;
    expect(result.text).toBe('Calm.');
    expect(wire.requests).toHaveLength(2);
  });
});

it('a tag that is none is refused, with its place', async () => {
  const opening = openAgent(makeProject(model('<think>'), { packages }));
  await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
