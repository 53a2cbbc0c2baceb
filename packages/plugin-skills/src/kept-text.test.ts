import { definePlugin, type Message } from '@shallot/core';
import { collectEvents, scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { bench, filesWith, reads, resultsIn, skillFile } from '../test/bench.ts';
import skills from './index.ts';
import { KeptTextFinder, type KeptText } from './kept-text.ts';

/** Replaces all but the last user message by a summary at each step that says so, as summarization does. */
function summarizing(when: (step: number) => boolean) {
  return definePlugin({
    name: 'summarizes',
    priority: 50,
    beforeModel(request, run) {
      if (!when(run.step)) return undefined;
      const kept = request.messages.findLast(({ role, source }) => role === 'user' && source === undefined);
      const summary = { role: 'user' as const, source: 'summarization', content: 'What was said before.' };
      return { ...request, messages: [summary, ...(kept === undefined ? [] : [kept])] as never };
    },
  })();
}

const text = 'Never use tables.';
const contents = {
  '/skills/pdf/SKILL.md': skillFile('pdf', { body: text }),
  '/skills/csv/SKILL.md': skillFile('csv', { body: 'Use commas.' }),
};

/** Counts a text in a request. */
function timesIn(
  request: { instructions: string; messages: readonly Message[] } | undefined,
  wanted: string,
): number {
  const all = [request?.instructions, ...resultsIn(request?.messages)].join('\n');
  return all.split(wanted).length - 1;
}

describe('the text of a skill that was read', () => {
  it('is put back into the instructions once summarization has taken it away, and stands there once', async () => {
    const files = await filesWith(contents);
    const steps = [reads('pdf'), reads('csv'), reads({ name: 'csv' }), reads('csv')];
    const { agent, model } = await bench(files, steps, { plugins: [summarizing((step) => step === 3)] });
    await agent.run('Hi', { sessionId: 's' });
    expect(model.requests.map((request) => timesIn(request, text))).toEqual([0, 1, 1, 1, 1]);
    expect(model.requests.map(({ instructions }) => instructions.includes(text))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    await files.remove('/skills/pdf/SKILL.md');
    await agent.run('And now?', { sessionId: 's' });
    expect(timesIn(model.requests.at(-1), text)).toBe(1);
  });

  it('survives summary after summary, and a change of the process', async () => {
    const files = await filesWith(contents);
    const { agent, store } = await bench(files, [reads('pdf')], {
      plugins: [summarizing((step) => step > 1)],
    });
    await agent.run('Hi', { sessionId: 's' });
    await agent.close();
    const next = await bench(files, [], { store, plugins: [summarizing(() => true)] });
    for (let round = 0; round < 5; round += 1) {
      await next.agent.run('On.', { sessionId: 's' });
      expect(timesIn(next.model.requests.at(-1), text)).toBe(1);
    }
  });

  it('is put back when a layer clears old results for one call, and is not when they are there again', async () => {
    const files = await filesWith(contents);
    const clears = definePlugin({
      name: 'clears',
      priority: 52,
      wrapModelCall(request, next, { run }) {
        if (run.step !== 3) return next(request);
        const cleared = (message: Message): Message =>
          message.role === 'tool' ? { ...message, content: [{ type: 'text', text: '[cleared]' }] } : message;
        return next({ ...request, messages: request.messages.map(cleared) });
      },
    })();
    const { agent, model } = await bench(files, [reads('pdf'), reads('csv'), reads('csv')], {
      plugins: [clears],
    });
    await agent.run('Hi');
    expect(model.requests.map((request) => timesIn(request, text))).toEqual([0, 1, 1, 1]);
    expect(model.requests.map(({ instructions }) => instructions.includes(text))).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it('is put back when a layer has cut most of it off', async () => {
    const body = `${'rule of PDF, '.repeat(50)}the last rule`;
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf', { body }) });
    const cuts = definePlugin({
      name: 'cuts',
      async wrapToolCall(call, next) {
        const result = await next(call);
        const [part] = result.content;
        return {
          ...result,
          content: [{ type: 'text', text: part?.type === 'text' ? part.text.slice(0, 100) : '' }],
        };
      },
    })();
    const { agent, model } = await bench(files, [reads('pdf')], { plugins: [cuts] });
    await agent.run('Hi');
    expect(timesIn(model.requests[1], 'the last rule')).toBe(1);
  });

  it('is put back also in a call without the tool', async () => {
    const files = await filesWith(contents);
    const hides = definePlugin({
      name: 'hides',
      beforeModel: (request, { step }) => (step === 2 ? { ...request, tools: [] } : undefined),
    })();
    const plugins = [summarizing((step) => step === 2), hides];
    const { agent, model } = await bench(files, [reads('pdf')], { plugins });
    await agent.run('Hi');
    expect(timesIn(model.requests[1], text)).toBe(1);
    expect(model.requests[1]?.instructions).not.toContain('available_skills');
  });

  it('is not there in sessions that have not read it', async () => {
    const files = await filesWith(contents);
    const { agent, model } = await bench(files, [reads('pdf')], {
      plugins: [summarizing((step) => step > 1)],
    });
    await agent.run('Hi', { sessionId: 'one' });
    await agent.run('Hi', { sessionId: 'two' });
    expect(timesIn(model.requests.at(-1), text)).toBe(0);
  });

  it('is that of the last reading', async () => {
    const files = await filesWith(contents);
    const steps = [
      reads('pdf'),
      async () => {
        await files.write('/skills/pdf/SKILL.md', skillFile('pdf', { body: 'Now use tables.' }));
        return reads('pdf');
      },
    ];
    const { agent, model } = await bench(files, steps, { plugins: [summarizing((step) => step === 3)] });
    await agent.run('Hi');
    expect(timesIn(model.requests.at(-1), text)).toBe(0);
    expect(timesIn(model.requests.at(-1), 'Now use tables.')).toBe(1);
  });

  it('has only so much room; what was read last comes first, and the rest is said', async () => {
    const files = await filesWith({
      '/skills/old/SKILL.md': skillFile('old', { body: 'old word '.repeat(300) }),
      '/skills/new/SKILL.md': skillFile('new', { body: 'new word '.repeat(300) }),
    });
    const plugins = [summarizing((step) => step === 3)];
    const steps = [reads('old'), reads('new'), reads({ name: 'new', file: 'none' })];
    const options = { maxKeptTokens: 1000 };
    const { agent, model } = await bench(files, steps, { plugins, options });
    const { events } = await collectEvents(agent.stream('Hi'));
    expect(model.requests[2]?.instructions).toContain('new word');
    expect(model.requests[2]?.instructions).not.toContain('old word');
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { code: 'skills/NOT_KEPT', message: expect.stringContaining(': old.') as string },
    ]);
  });

  it('takes no more than a quarter of a small context', async () => {
    const files = await filesWith({
      '/skills/old/SKILL.md': skillFile('old', { body: 'old word '.repeat(300) }),
    });
    const model = scriptedModel([reads('old'), { text: 'Done.' }], { contextTokens: 1000 });
    const { agent } = await bench(files, [], { model, plugins: [summarizing((step) => step === 2)] });
    await agent.run('Hi');
    expect(timesIn(model.requests[1], 'old word')).toBe(0);
  });
});

it('the state does not grow with every skill that is read, but knows of all', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const body = 'some words '.repeat(200);
  const skillFiles = names.map((name) => [`/skills/${name}/SKILL.md`, skillFile(name, { body })]);
  const files = await filesWith(Object.fromEntries(skillFiles) as Record<string, string>);
  const steps = names.map((name) => reads(name));
  const { agent, store } = await bench(files, steps, { options: { maxKeptTokens: 1000 } });
  await agent.run('Hi', { sessionId: 's' });
  const kept = (await store.load('s'))?.state['skills']?.['read']?.value as unknown as readonly KeptText[];
  expect(kept.map(({ name }) => name)).toEqual(names);
  const texts = kept.filter(({ text }) => text !== '');
  expect(texts.map(({ name }) => name)).toEqual(['s8', 's9', 's10', 's11'].slice(-texts.length));
  expect(texts.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(2000);
});

describe('finding what is missing', () => {
  const kept = (callId: string): KeptText => ({
    name: 'pdf',
    path: '/p',
    revision: '1',
    callId,
    offset: 0,
    text: '<skill name="pdf" path="/p">\nText\n</skill>',
    tokens: 5,
  });
  const result = (callId: string): Message => ({
    id: `m-${callId}`,
    role: 'tool',
    callId,
    name: 'skill',
    content: [{ type: 'text', text: kept(callId).text }],
  });
  const said = (id: string): Message => ({ id, role: 'user', content: [{ type: 'text', text: id }] });

  /** An array that counts how often its elements are looked at. */
  function watched(messages: readonly Message[]): {
    readonly messages: readonly Message[];
    readonly looks: () => number;
  } {
    let looks = 0;
    const proxy = new Proxy(messages, {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    return { messages: proxy, looks: () => looks };
  }

  it('costs what came since the last step, not the history', () => {
    for (const isThere of [true, false]) {
      const history = Array.from({ length: 10_000 }, (_, index) => said(`${index}`));
      if (isThere) history[5000] = result('c');
      const finder = new KeptTextFinder();
      const missing = isThere ? [] : [kept('c')];
      expect(finder.missing(history, [kept('c')])).toEqual(missing);
      const { messages, looks } = watched([...history, said('new')]);
      expect(finder.missing(messages, [kept('c')])).toEqual(missing);
      expect(looks()).toBeLessThan(10);
    }
  });

  it('costs nothing without skills that were read', () => {
    const { messages, looks } = watched([said('a')]);
    expect(new KeptTextFinder().missing(messages, [])).toEqual([]);
    expect(looks()).toBe(0);
  });

  it('notices when the history becomes another, and when another skill is read', () => {
    const finder = new KeptTextFinder();
    const before = [said('a'), result('c'), said('b')];
    expect(finder.missing(before, [kept('c')])).toEqual([]);
    expect(finder.missing([said('summary'), said('b')], [kept('c')])).toEqual([kept('c')]);
    expect(finder.missing([said('summary'), result('c'), said('b')], [kept('c')])).toEqual([]);
    const later = [said('summary'), result('c'), said('b'), result('d')];
    expect(finder.missing(later, [kept('c'), kept('d')])).toEqual([]);
  });
});

it('state is small and plain: the text, and where it came from', async () => {
  const { agent, store } = await bench(await filesWith(contents), [reads('csv')]);
  await agent.run('Hi', { sessionId: 's' });
  expect((await store.load('s'))?.state).toMatchObject({
    skills: {
      read: {
        version: 1,
        value: [
          {
            name: 'csv',
            path: '/skills/csv/SKILL.md',
            revision: expect.any(String) as string,
            callId: 'call_1',
            offset: 0,
            text: '<skill name="csv" path="/skills/csv/SKILL.md">\nUse commas.\n</skill>',
            tokens: expect.any(Number) as number,
          },
        ],
      },
    },
  });
  expect(skills.definition.priority).toBe(47);
});
