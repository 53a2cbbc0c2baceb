import { createAgent, defineTool, textOf, type AgentOptions, type Message } from '@shallot/core';
import { scriptedModel, testPlugin, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import contextEditing, { type ContextEditingOptions } from './index.ts';

await testPlugin(contextEditing, {
  options: { lastN: 20, stripToolCalls: true, clearToolResults: {} },
  manifest: new URL('../package.json', import.meta.url),
});

const read = defineTool({
  name: 'read',
  description: 'Reads.',
  input: { type: 'object' },
  execute: ({ page }) => `page ${JSON.stringify(page)} ${'.'.repeat(400)}`,
});
const page = (number: number): ScriptedStep => ({ toolCalls: [{ name: 'read', args: { page: number } }] });

async function agentWith(
  options: ContextEditingOptions,
  steps: readonly ScriptedStep[],
  rest: Partial<AgentOptions> = {},
) {
  const model = scriptedModel(steps, { contextTokens: 1000 });
  const agent = await createAgent({
    model,
    tools: [read],
    log: 'silent',
    countTokens: (text) => text.length,
    ...rest,
    plugins: [contextEditing(options)],
  });
  /** Returns the messages that the model was sent, a line each. */
  const sent = (): string[][] => model.requests.map(({ messages }) => messages.map(line));
  return { agent, model, sent };
}

function line(message: Message): string {
  if (message.role === 'assistant') {
    const calls = message.content.flatMap((part) =>
      part.type === 'tool-call' ? [JSON.stringify(part.input)] : [],
    );
    return `assistant ${textOf(message)}${calls.join(' ')}`.trim();
  }
  const text = textOf(message);
  return `${message.role} ${text.length > 30 ? `${text.slice(0, 6)}…` : text}`;
}

describe('lastN', () => {
  it('sends the last messages, from one of the user on, and splits no call from its result', async () => {
    const steps = [{ text: 'One.' }, page(1), { text: 'Two.' }];
    const { agent, sent } = await agentWith({ lastN: 2 }, steps);
    await agent.run('First', { sessionId: 's' });
    await agent.run('Second', { sessionId: 's' });
    expect(sent().slice(1)).toEqual([
      ['user Second'],
      ['user Second', 'assistant {"page":1}', 'tool page 1…'],
    ]);
    expect((await agent.session('s'))?.messages).toHaveLength(6);
  });
});

describe('stripToolCalls', () => {
  it('leaves calls and results of earlier turns out, and nothing of this one', async () => {
    const steps = [page(1), { text: 'One.' }, page(2), { text: 'Two.' }];
    const { agent, sent } = await agentWith({ stripToolCalls: true }, steps);
    await agent.run('First', { sessionId: 's' });
    await agent.run('Second', { sessionId: 's' });
    expect(sent().at(-1)).toEqual([
      'user First',
      'assistant One.',
      'user Second',
      'assistant {"page":2}',
      'tool page 2…',
    ]);
  });
});

describe('clearToolResults', () => {
  const cleared = 'tool This o…';

  it('replaces old results once there is too much, and again only when there is too much again', async () => {
    const steps = [page(1), page(2), page(3), page(4), page(5), { text: 'Done.' }];
    const { agent, sent } = await agentWith({ clearToolResults: { trigger: 1300, keep: 1 } }, steps);
    await agent.run('Go', { sessionId: 's' });
    const results = sent().map((messages) => messages.filter((each) => each.startsWith('tool')));
    expect(results).toEqual([
      [],
      ['tool page 1…'],
      ['tool page 1…', 'tool page 2…'],
      [cleared, cleared, 'tool page 3…'],
      [cleared, cleared, 'tool page 3…', 'tool page 4…'],
      [cleared, cleared, cleared, cleared, 'tool page 5…'],
    ]);
    const kept = (await agent.session('s'))?.messages.map(line) ?? [];
    expect(kept.filter((each) => each.startsWith('tool page'))).toHaveLength(5);
  });

  it('changes the session if that is asked for, clears arguments, and leaves tools that are excluded', async () => {
    const steps = [page(1), page(2), page(3), { text: 'Done.' }];
    const options = { clearToolResults: { trigger: 900, keep: 1, clearInputs: true }, persist: true };
    const { agent } = await agentWith(options, steps);
    await agent.run('Go', { sessionId: 's' });
    expect((await agent.session('s'))?.messages.map(line)).toEqual([
      'user Go',
      'assistant {}',
      cleared,
      'assistant {}',
      cleared,
      'assistant {"page":3}',
      'tool page 3…',
      'assistant Done.',
    ]);
    const excluding = await agentWith({ clearToolResults: { trigger: 900, exclude: ['re*'] } }, steps);
    await excluding.agent.run('Go');
    expect(excluding.sent().at(-1)).not.toContain(cleared);
  });
});

describe('options', () => {
  it.each<[string, ContextEditingOptions, string]>([
    ['nothing to do', {}, 'ask for nothing'],
    ['no messages', { lastN: 0 }, 'lastN: it is 0'],
    ['fewer than none', { clearToolResults: { keep: -1 } }, 'keep: it is -1'],
    ['a tool that does not exist', { clearToolResults: { exclude: ['raed'] } }, 'Did you mean "read"?'],
  ])('are refused: %s', async (_, options, said) => {
    await expect(agentWith(options, [])).rejects.toThrow(said);
  });
});
