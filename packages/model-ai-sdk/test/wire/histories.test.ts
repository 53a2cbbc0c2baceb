import { createAgent, defineTool, type Agent, type AgentOptions, type MessageInput } from '@shallot/core';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { wireProviders } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const both = ['run', 'stream'] as const;
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const noContent = /"(?:role":"assistant|role":"model)","(?:content|parts)":\[\]/;

/** Bedrock takes calls of tools only where there is a tool. */
const look = defineTool({
  name: 'look',
  description: 'Looks into a hive.',
  input: { type: 'object' },
  execute: () => 'calm',
});

// Histories that providers refuse, or their packages throw at, if they are sent unchanged.
describe.each(wireProviders)('$name', (provider) => {
  async function open(options: Partial<AgentOptions> = {}): Promise<Agent> {
    const agent = await createAgent({ model: aiSdkModel(provider.make(wire.url)), ...options });
    onTestFinished(() => agent.close());
    return agent;
  }

  it.each(both)('%s: is told of an empty answer', async (mode) => {
    wire.answer({ text: '' }, { text: 'Yes.' });
    const agent = await open();
    const asked = mode === 'run' ? agent.run('Well?') : agent.stream('Well?').result;
    expect((await asked).text).toBe('Yes.');
    expect(wire.requests[1]?.text).toContain('Your answer was empty');
    expect(wire.requests[1]?.text).not.toMatch(noContent);
  });

  it('goes on after an answer without words', async () => {
    wire.answer({ text: 'Yes.' });
    const agent = await open();
    const history: MessageInput[] = [
      { role: 'user', content: 'Well?' },
      { role: 'assistant', content: [] },
      { role: 'user', content: 'Again.' },
    ];
    expect((await agent.run(history)).text).toBe('Yes.');
    expect(wire.requests[0]?.text).not.toMatch(noContent);
  });

  it('is told what the system says in the middle', async () => {
    wire.answer({ text: 'Yes.' }, { text: 'Aye.' });
    const agent = await open({ instructions: 'You know bees.' });
    await agent.run('Well?', { sessionId: 'one' });
    const more: MessageInput[] = [
      { role: 'system', content: 'Speak like a sailor.' },
      { role: 'user', content: 'Again.' },
    ];
    expect((await agent.run(more, { sessionId: 'one' })).text).toBe('Aye.');
    expect(wire.requests[1]?.text).toContain('You know bees.');
    expect(wire.requests[1]?.text).toContain('Speak like a sailor.');
  });

  it('takes a picture that a tool made', async () => {
    wire.answer({ toolCalls: [{ id: 'call_1', name: 'draw', args: '{}' }] }, { text: 'A dot.' });
    const draw = defineTool({
      name: 'draw',
      description: 'Draws.',
      input: { type: 'object' },
      execute: () => ({
        content: [
          { type: 'text', text: 'the picture' },
          { type: 'file', mediaType: 'image/png', data: image },
        ],
      }),
    });
    const { text } = await (await open({ tools: [draw] })).run('Draw.');
    expect(text).toBe('A dot.');
    expect(wire.requests[1]?.text).toContain('the picture');
  });

  it('is told that a call was denied, and why', async () => {
    wire.answer({ text: 'I see.' });
    const history: MessageInput[] = [
      { role: 'user', content: 'Delete it.' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', id: 'call_1', name: 'delete', input: { path: 'a' } }],
      },
      {
        role: 'tool',
        callId: 'call_1',
        name: 'delete',
        content: 'Not executed: keep it.',
        isError: true,
        denied: { by: 'a person', reason: 'keep it' },
      },
      { role: 'user', content: 'Why not?' },
    ];
    expect((await (await open({ tools: [look] })).run(history)).text).toBe('I see.');
    expect(wire.requests[0]?.text).toContain('keep it');
  });

  it('takes the calls of a tool that is there no more, and the ids of another provider', async () => {
    wire.answer({ text: 'Yes.' });
    const id = `toolu:${'x'.repeat(80)}/1`;
    const history: MessageInput[] = [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: [
          {
            type: 'reasoning',
            text: 'A thought of another.',
            metadata: { other: { signature: 'of-another' } },
          },
          { type: 'tool-call', id, name: 'gone', input: {}, raw: '{"hive":' },
        ],
      },
      { role: 'tool', callId: id, name: 'gone', content: 'The arguments are not JSON.', isError: true },
      { role: 'user', content: 'And now?' },
    ];
    expect((await (await open({ tools: [look] })).run(history)).text).toBe('Yes.');
    const sent = wire.requests[0]?.text ?? '';
    expect(sent).toContain('not JSON');
    expect(sent).not.toContain('of-another');
    expect(sent).not.toContain(id);
  });
});
