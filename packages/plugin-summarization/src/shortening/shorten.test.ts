import { definePlugin, defineTool, type Message, textOf, withTools } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import { isLasting, lastingResult, textPart } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { conversation, talker, type Talker, type TalkerOptions } from '../../test/conversation.ts';
import type { SummarizationOptions } from '../settings/options.ts';

/** About so many tokens, with a beginning and an end that can be told from all others. */
function report(name: string, tokens: number): string {
  return `begin of ${name}\n${'one more line\n'.repeat(Math.floor(tokens / 4))}end of ${name}`;
}

/** A tool whose results have about so many tokens. */
function readTool(tokens: number) {
  return withTools([
    defineTool({
      name: 'read',
      description: 'Reads.',
      input: { type: 'object', properties: { name: { type: 'string' } } },
      effect: 'read',
      maxResultTokens: Infinity,
      execute: ({ name }) => report(typeof name === 'string' ? name : '', tokens),
    }),
  ]);
}

/** A model that reads so many reports, one after the other, each of which it has to see before it goes on. */
function reader(reports: number, says: TalkerOptions = {}): Talker & { readonly seen: string[] } {
  const seen: string[] = [];
  const model = talker({
    ...says,
    say: ({ messages }, index) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') seen.push(textOf(last));
      return index < reports ? { callId: 'read', args: { name: `report ${index}` } } : 'Done.';
    },
  });
  return Object.assign(model, { seen });
}

async function readAll(
  model: Talker,
  tokens: number,
  options: SummarizationOptions = {},
  rest: Parameters<typeof conversation>[2] = {},
) {
  const talk = await conversation(model, options, {
    maxSteps: 1000,
    ...rest,
    plugins: [readTool(tokens), ...(rest.plugins ?? [])],
  });
  await talk.say('Read all reports.');
  return talk;
}

const results = (messages: readonly Message[] = []): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));

describe('Old results', () => {
  it('become stubs at the trigger, all at once, but for those of the last steps; no summary is made', async () => {
    const model = reader(9, { contextTokens: 8000, realContext: 8000 });
    const talk = await readAll(model, 1000);
    expect(talk.happened('summarizing')).toEqual([]);
    const cleared = talk.happened('cleared');
    expect(cleared).toMatchObject([{ reason: 'size', clipped: 0, path: '/conversation_history/talk.md' }]);
    const count = Number(cleared[0]?.['results']);
    expect(count).toBeGreaterThan(4);
    const shown = results(model.requests.at(-1)?.messages);
    expect(shown.slice(0, count)).toEqual(
      shown
        .slice(0, count)
        .map(
          (_, index) =>
            `[This result was cleared to make room. The whole is in the file /conversation_history/talk.md, under "### result of read call_${index + 1}".]`,
        ),
    );
    expect(shown.slice(count).every((text) => text.includes('one more line'))).toBe(true);
    const [section] = await talk.history();
    expect(section?.title).toMatch(/^Cleared at /);
    expect(section?.messages.find(({ text }) => text.startsWith('### result of read call_1\n'))?.text).toBe(
      `### result of read call_1\n\n${report('report 0', 1000)}`,
    );
  });

  it('stay where that frees less than a fifth: a summary is made of them, whole', async () => {
    const model = talker({
      contextTokens: 8000,
      say: (_, index) => (index === 0 ? { callId: 'read', args: { name: 'it' } } : 'word '.repeat(1200)),
    });
    const talk = await conversation(model, {}, { plugins: [readTool(400)] });
    for (let exchange = 1; exchange <= 9; exchange += 1) await talk.say('Go on.');
    expect(talk.happened('cleared')).toEqual([]);
    const inputs = model.summaryRequests.flatMap(({ messages }) =>
      messages.map((message) => textOf(message)),
    );
    expect(inputs.join('\n')).toContain(report('it', 400));
  });

  it('that are marked to last are left', async () => {
    const manual = defineTool({
      name: 'note',
      description: 'Notes.',
      input: { type: 'object' },
      effect: 'read',
      execute: () => lastingResult({ content: [textPart(report('the manual', 500))] }),
    });
    const model = talker({
      contextTokens: 8000,
      realContext: 8000,
      say: (_, index) => {
        if (index === 0) return { callId: 'note', args: {} };
        return index < 9 ? { callId: 'read', args: { name: `${index}` } } : 'Done.';
      },
    });
    const talk = await readAll(model, 1000, {}, { tools: [manual] });
    expect(talk.happened('cleared')).toHaveLength(1);
    const messages = model.requests.at(-1)?.messages ?? [];
    expect(messages.filter((message) => message.role === 'tool' && isLasting(message))).toHaveLength(1);
    expect(results(messages)[0]).toBe(report('the manual', 500));
  });

  it('are cleared without a path where no file is kept', async () => {
    const model = reader(9, { contextTokens: 8000 });
    const talk = await readAll(model, 1000, { historyDirectory: null });
    expect(talk.happened('cleared')).toHaveLength(1);
    expect(results(model.requests.at(-1)?.messages)[0]).toBe(
      '[This result was cleared to make room. Call read again if you need it.]',
    );
  });

  it('are not cleared when the file cannot be written: a summary is made without it', async () => {
    const files = { ...memoryFiles(), append: () => Promise.reject(new Error('the disk is full')) };
    const model = reader(9, { contextTokens: 8000, realContext: 8000 });
    const talk = await readAll(model, 1000, {}, { files });
    expect(talk.happened('cleared')).toEqual([]);
    expect(talk.happened('summarized').length).toBeGreaterThan(0);
    expect(talk.warned()).toEqual(
      talk
        .happened('summarized')
        .flatMap(({ dropped }) => (dropped === undefined ? [] : ['summarization/OFFLOAD_FAILED'])),
    );
  });
});

describe('A result that is larger than the context', () => {
  const note =
    '[Part of this result is left out here, since it is too large. The whole is in the file /conversation_history/talk.md, under "### result of read call_1".]';

  it('is cut to its head and tail, with the path of the whole, and the run goes on', async () => {
    const model = reader(1, { contextTokens: 8000, realContext: 8000 });
    const talk = await readAll(model, 17_000);
    expect(model.requests).toHaveLength(2);
    expect(model.seen[0]).toMatch(/^begin of report 0\n(one more line\n)+/);
    expect(model.seen[0]).toMatch(/(one more line\n)+end of report 0$/);
    expect(model.seen[0]).toContain(note);
    expect(talk.happened('cleared')).toMatchObject([{ results: 0, clipped: 1 }]);
    expect(talk.happened('summarizing')).toEqual([]);
    const kept = (await talk.history()).flatMap(({ messages }) => messages);
    expect(kept.at(-1)?.text).toContain(report('report 0', 17_000));
  });

  it('is cut when the model finds the request too long, whatever is known of the context', async () => {
    const model = reader(1, { realContext: 8000 });
    const talk = await readAll(model, 34_000);
    expect(model.seen).toHaveLength(1);
    expect(model.seen[0]).toContain(note);
    expect(talk.happened('cleared').every(({ reason }) => reason === 'overflow')).toBe(true);
    expect((await talk.messages()).at(-1)?.role).toBe('assistant');
    expect(results(await talk.messages())[0]).toBe(model.seen[0]);
  });

  it('is cut without a path when the file cannot be written', async () => {
    const files = { ...memoryFiles(), append: () => Promise.reject(new Error('the disk is full')) };
    const model = reader(1, { contextTokens: 8000, realContext: 8000 });
    const talk = await readAll(model, 17_000, {}, { files });
    expect(model.seen[0]).toContain('Ask for less at once if you need it.');
    expect(talk.warned()).toEqual(['summarization/OFFLOAD_FAILED']);
  });

  it('may be one of several that are too large together: small ones stay whole', async () => {
    const model = talker({ contextTokens: 8000, realContext: 8000, say: () => 'Done.' });
    const sizes = [100, 6000, 9000];
    const calls = sizes.map((size, index) => ({
      type: 'tool-call' as const,
      id: `c${index}`,
      name: 'sized',
      input: { size },
    }));
    const asking = definePlugin({
      name: 'asking',
      wrapModelCall: async (request, next, { run }) =>
        run.step === 1
          ? { message: { role: 'assistant', content: calls }, finish: 'tool-calls' }
          : next(request),
    })();
    const sized = defineTool({
      name: 'sized',
      description: 'As large as asked for.',
      input: { type: 'object' },
      effect: 'read',
      maxResultTokens: Infinity,
      execute: ({ size }) => report(`${Number(size)}`, Number(size)),
    });
    const talk = await conversation(model, {}, { tools: [sized], plugins: [asking] });
    await talk.say('Go.');
    const [small = '', middle = '', large = ''] = results(model.requests[0]?.messages);
    expect(small).toBe(report('100', 100));
    for (const [text, name] of [
      [middle, '6000'],
      [large, '9000'],
    ] as const) {
      expect(text.startsWith(`begin of ${name}`) && text.endsWith(`end of ${name}`)).toBe(true);
    }
    expect(Math.abs(middle.length - large.length)).toBeLessThan(100);
  });
});
