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
  maxResultTokens: Infinity,
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
    const { agent, sent } = await agentWith(
      { clearToolResults: { trigger: { tokens: 1300 }, keep: 1 } },
      steps,
    );
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
    const options = {
      clearToolResults: { trigger: { tokens: 900 }, keep: 1, clearInputs: true },
      persist: true,
    };
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
    const excluding = await agentWith(
      { clearToolResults: { trigger: { tokens: 900 }, exclude: ['re*'] } },
      steps,
    );
    await excluding.agent.run('Go');
    expect(excluding.sent().at(-1)).not.toContain(cleared);
  });
});

describe('clearAtLeast', () => {
  const cleared = 'tool This o…';
  const leftOut = 'user Earlie…';
  const steps = [...Array.from({ length: 12 }, (_, index) => page(index + 1)), { text: 'Done.' }];

  it('keeps the beginning of requests as it is until enough is freed, then lets the oldest calls go', async () => {
    const options = {
      clearToolResults: { trigger: { tokens: 1500 }, keep: 1, clearAtLeast: { tokens: 900 } },
    };
    const { agent, sent } = await agentWith(options, steps, { maxSteps: 20 });
    await agent.run('Go');
    const heads = sent().map((messages) => messages.slice(0, 5));
    expect(heads[4]).toEqual(['user Go', 'assistant {"page":1}', cleared, 'assistant {"page":2}', cleared]);
    expect(sent().at(-1)?.slice(0, 3)).toEqual(['user Go', leftOut, 'assistant {"page":8}']);
    expect(sent().at(-1)?.at(-1)).toBe('tool page 1…');
    const changes = sent().filter((messages, index) => {
      const before = sent()[index - 1] ?? [];
      return before.some((each, at) => each !== messages[at]);
    });
    expect(changes.length).toBeLessThanOrEqual(5);
  });

  it('clears nothing where that much cannot be freed', async () => {
    const options = {
      clearToolResults: { trigger: { tokens: 900 }, keep: 1, clearAtLeast: { tokens: 100_000 } },
    };
    const { agent, sent } = await agentWith(options, steps, { maxSteps: 20 });
    await agent.run('Go');
    expect(sent().at(-1)).not.toContain(cleared);
    expect(sent().at(-1)).toHaveLength(25);
  });

  it('leaves calls out of the session, too, with one line for all, and keeps those of excluded tools', async () => {
    const keeps = defineTool({ ...read, name: 'keeps', input: { type: 'object' } });
    const options = {
      clearToolResults: { trigger: { tokens: 1500 }, keep: 1, exclude: ['keeps'] },
      persist: true,
    };
    const { agent } = await agentWith(
      options,
      [{ toolCalls: [{ name: 'keeps', args: { page: 0 } }] }, ...steps],
      {
        maxSteps: 20,
        tools: [read, keeps],
      },
    );
    await agent.run('Go', { sessionId: 's' });
    const kept = (await agent.session('s'))?.messages.map(line) ?? [];
    expect(kept.slice(0, 3)).toEqual(['user Go', 'assistant {"page":0}', 'tool page 0…']);
    expect(kept.filter((each) => each === leftOut)).toHaveLength(1);
    expect(kept.length).toBeLessThan(20);
  });
});

describe('options', () => {
  it.each<[string, ContextEditingOptions, string]>([
    ['nothing to do', {}, 'ask for nothing'],
    ['no messages', { lastN: 0 }, 'lastN: it is 0'],
    ['a size that is a number', { clearToolResults: { trigger: 500 as never } }, 'trigger: it is 500'],
    [
      'two sizes',
      { clearToolResults: { clearAtLeast: { tokens: 1, fraction: 1 } } },
      'exactly one of tokens',
    ],
    ['fewer than none', { clearToolResults: { keep: -1 } }, 'keep: it is -1'],
    ['a tool that does not exist', { clearToolResults: { exclude: ['raed'] } }, 'Did you mean "read"?'],
  ])('are refused: %s', async (_, options, said) => {
    await expect(agentWith(options, [])).rejects.toThrow(said);
  });

  it('are refused: a fraction of a context that nobody knows', async () => {
    const plugins = [contextEditing({ clearToolResults: { trigger: { fraction: 0.5 } } })];
    await expect(createAgent({ model: scriptedModel([]), plugins })).rejects.toMatchObject({
      code: 'context-editing/CONTEXT_UNKNOWN',
    });
  });
});
