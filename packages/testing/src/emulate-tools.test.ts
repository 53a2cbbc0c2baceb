import { createAgent, defineTool, textOf } from '@shallot/core';
import { expect, it } from 'vitest';

import { emulateTools } from './emulate-tools.ts';
import { scriptedModel } from './scripted-model.ts';

const input = { type: 'object', properties: { city: { type: 'string' } } } as const;
const executed: string[] = [];
const tools = ['weather', 'clock'].map((name) =>
  defineTool({
    name,
    description: `The ${name}.`,
    input,
    execute: () => {
      executed.push(name);
      return `the real ${name}`;
    },
  }),
);

it('answers the calls of the named tools, consistent with earlier ones, and executes the others', async () => {
  const model = scriptedModel([
    { toolCalls: [{ name: 'weather', args: { city: 'Oslo' } }, { name: 'clock' }] },
    { toolCalls: [{ name: 'weather', args: { city: 'Rome' } }] },
    { text: 'Done.' },
  ]);
  const emulator = scriptedModel([{ text: 'Snow.' }, { text: 'Sun.' }]);
  const plugin = emulateTools({ tools: ['wea*'], model: emulator, instructions: 'It is winter.' });
  const agent = await createAgent({ model, tools, plugins: [plugin], log: 'silent' });
  const { messages } = await agent.run('How is the weather?');
  const results = messages.filter(({ role }) => role === 'tool').map((message) => textOf(message));
  expect(results).toEqual(['Snow.', 'the real clock', 'Sun.']);
  expect(executed).toEqual(['clock']);
  const [first, second] = emulator.requests;
  expect(first?.instructions).toContain('It is winter.');
  expect(textOf(first?.messages[0] ?? { role: 'user', content: [], id: '' })).toBe('{"city":"Oslo"}');
  expect(second?.instructions).toContain('weather({"city":"Oslo"}) returned: Snow.');
});

it('asks the agent’s own model by default', async () => {
  const model = scriptedModel([
    { toolCalls: [{ name: 'weather', args: { city: 'Oslo' } }] },
    { text: 'Snow.' },
    { text: 'It snows.' },
  ]);
  const agent = await createAgent({ model, tools, plugins: [emulateTools()], log: 'silent' });
  expect((await agent.run('How is the weather?')).text).toBe('It snows.');
});
