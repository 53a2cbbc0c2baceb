import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { hookTrace } from '../../../testing/src/trace-hooks.ts';
import type { Agent } from '../agent.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { ChatModel } from '../contract/model.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { mostWaiting } from './event-stream.ts';

/** A model that writes so many words, and counts how many it got rid of. */
function writing(words: number): ChatModel & { readonly sent: () => number } {
  let sent = 0;
  return {
    id: 'test/writing',
    sent: () => sent,
    async generate(_, { emit, signal }) {
      for (let index = 0; index < words; index += 1) {
        signal.throwIfAborted();
        sent += 1;
        await emit({ type: 'text-delta', index: 0, text: 'word ' });
      }
      return {
        message: { role: 'assistant', content: [{ type: 'text', text: 'word '.repeat(words) }] },
        finish: 'stop',
      };
    },
  };
}

async function agentWith(model: ChatModel): Promise<Agent> {
  return await createAgent({ log: 'silent', model });
}

const isText = (event: AgentEvent): boolean => event.type === 'text-delta';

describe('a consumer that lags', () => {
  it('makes the model wait, and gets every chunk in the end', async () => {
    const model = writing(2000);
    const agent = await agentWith(model);
    const stream = agent.stream('hello')[Symbol.asyncIterator]();
    await stream.next();
    await expect.poll(model.sent).toBeGreaterThan(100);
    await sleep(30);
    expect(model.sent()).toBeLessThan(300);
    let chunks = 0;
    for (let step = await stream.next(); step.done !== true; step = await stream.next()) {
      if (isText(step.value)) chunks += 1;
    }
    expect(chunks).toBe(2000);
  });
});

describe('a consumer that never reads while events come', () => {
  /** Sends so many without waiting, by turns as progress of a tool and as an event of a plugin. */
  async function flood(count: number): Promise<AgentEvent[]> {
    const events = definePlugin({
      name: 'events',
      setup({ hooks }) {
        hooks.afterModel.tap('send', (_response, run) => {
          for (let index = 0; index < count / 2; index += 1) run.event('note', index);
          return undefined;
        });
      },
    });
    const tool = defineTool({
      name: 'count',
      description: 'Counts.',
      input: { type: 'object' },
      execute(_, { progress }) {
        for (let index = 0; index < count / 2; index += 1) void progress(index);
        return 'done';
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'count' }] }, { text: 'Done.' }]);
    const agent = await createAgent({ log: 'silent', model, tools: [tool], plugins: [events()] });
    const seen: AgentEvent[] = [];
    for await (const event of agent.stream('Go')) seen.push(event);
    return seen;
  }

  it('gets all of them as long as they are not too many', async () => {
    const seen = await flood(mostWaiting / 2);
    expect(seen.filter(({ type }) => type === 'tool-progress')).toHaveLength(mostWaiting / 4);
    expect(seen.filter(({ type }) => type === 'warning')).toEqual([]);
  });

  it('gets no more than so many, all that was done, and how many are missing', async () => {
    const seen = await flood(mostWaiting * 20);
    const kept = seen.filter(({ type }) => type === 'tool-progress' || type === 'plugin').length;
    const warnings = seen.flatMap((event) => (event.type === 'warning' ? [event] : []));
    const missing = warnings.map(({ message }) => Number.parseInt(message));
    expect(warnings.map(({ code }) => code)).toContain('EVENTS_DROPPED');
    expect(kept).toBeLessThan(mostWaiting * 5);
    // Two model calls send as many as one call of the tool.
    expect(kept + missing.reduce((sum, count) => sum + count, 0)).toBe(mostWaiting * 30);
    const done = seen.map(({ type }) => type).filter((type) => type !== 'tool-progress' && type !== 'plugin');
    expect(done.filter((type) => type !== 'warning')).toEqual([
      'run-start',
      'step-start',
      'tool-call-delta',
      'part-end',
      'message',
      'tool-start',
      'tool-end',
      'step-start',
      'text-delta',
      'part-end',
      'message',
      'run-end',
    ]);
  });
});

describe('the newest progress', () => {
  it('is kept, in its order, and how many older ones are missing comes first', async () => {
    const count = mostWaiting * 2 + 7;
    const tool = defineTool({
      name: 'count',
      description: 'Counts.',
      input: { type: 'object' },
      execute(_, { progress }) {
        for (let index = 0; index < count; index += 1) void progress(index);
        return 'done';
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'count' }] }, { text: 'Done.' }]);
    const agent = await createAgent({ log: 'silent', model, tools: [tool] });
    const { events } = await collectEvents(agent.stream('Go'));
    const seen = events.flatMap((event) => (event.type === 'tool-progress' ? [event.data as number] : []));
    expect(seen.at(-1)).toBe(count - 1);
    const newest = seen.slice(-mostWaiting / 2);
    expect(newest).toEqual(newest.map((_, index) => count - mostWaiting / 2 + index));
    const dropped = events.findIndex((event) => event.type === 'warning' && event.code === 'EVENTS_DROPPED');
    const [warning] = events.slice(dropped);
    expect(warning?.type === 'warning' && Number.parseInt(warning.message)).toBe(count - seen.length);
  });
});

describe('the result', () => {
  const words = 2000;

  it('may be awaited inside the loop: nothing but older progress is lost', async () => {
    const agent = await agentWith(writing(words));
    const stream = agent.stream('hello');
    const { result } = stream;
    let [inside, text] = ['', ''];
    for await (const event of stream) {
      if (event.type === 'step-start') ({ text: inside } = await result);
      if (event.type === 'text-delta') text += event.text;
    }
    expect([inside, text]).toEqual(['word '.repeat(words), 'word '.repeat(words)]);
  });

  it('may be awaited after some events were read by hand, and the others read later', async () => {
    const agent = await agentWith(writing(words));
    const stream = agent.stream('hello');
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    const { text } = await stream.result;
    expect(text).toBe('word '.repeat(words));
    let rest = '';
    for await (const event of { [Symbol.asyncIterator]: () => events })
      if (event.type === 'text-delta') rest += event.text;
    expect(rest).toBe(text);
  });

  it('that was awaited before an event was asked for makes nobody wait for less', async () => {
    const model = writing(words);
    const agent = await agentWith(model);
    const stream = agent.stream('hello');
    const events = stream[Symbol.asyncIterator]();
    const done = stream.result.then(({ text }) => text);
    await events.next();
    await expect.poll(model.sent).toBeGreaterThan(100);
    await sleep(30);
    expect(model.sent()).toBeLessThan(300);
    while ((await events.next()).done !== true);
    expect(await done).toBe('word '.repeat(words));
  });

  it('that nobody awaits may be a failure', async () => {
    const agent = await agentWith(scriptedModel([{ error: new Error('down') }]));
    const { result } = agent.stream('hello');
    await sleep(20);
    await expect(result).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });
});

describe('a second loop over one stream', () => {
  it('is refused while the first one reads, and gets nothing after that', async () => {
    const stream = (await agentWith(writing(20))).stream('hello');
    const seen: string[] = [];
    let refusal: unknown;
    for await (const { type } of stream) {
      if (seen.push(type) === 1) ({ error: refusal } = await collectEvents(stream));
    }
    expect(refusal).toMatchObject({ code: 'STREAM_BUSY' });
    expect(seen.filter((type) => type === 'text-delta')).toHaveLength(20);
    expect((await collectEvents(stream)).events).toEqual([]);
  });
});

describe('a consumer that leaves', () => {
  it('gets the deltas of a model that does not wait in few pieces, whole', async () => {
    const words = 20_000;
    const model: ChatModel = {
      id: 'test/hasty',
      async generate(_, { emit }) {
        for (let index = 0; index < words; index += 1) {
          void emit({ type: 'reasoning-delta', index: 0, text: `${index} ` });
          void emit({ type: 'text-delta', index: 1, text: 'word ' });
        }
        for (let index = 0; index < words; index += 1)
          void emit({ type: 'text-delta', index: 1, text: 'word ' });
        const content = [
          { type: 'reasoning', text: 'So.' },
          { type: 'text', text: 'word '.repeat(2 * words) },
        ] as const;
        return { message: { role: 'assistant', content }, finish: 'stop' };
      },
    };
    const { events, text } = await collectEvents((await agentWith(model)).stream('hello'));
    expect(text).toBe('word '.repeat(2 * words));
    // Where parts alternate there is nothing to join.
    const deltas = events.filter(isText).length;
    expect(deltas).toBeGreaterThanOrEqual(words);
    expect(deltas).toBeLessThan(words + 10);
  });

  it('aborts the run, which is over when the loop is left', async () => {
    const trace = hookTrace();
    const model = writing(100_000);
    await using agent = await createAgent({ log: 'silent', model, plugins: [trace.plugin('a')] });
    const stream = agent.stream('hello', { sessionId: 's' });
    for await (const event of stream) if (isText(event)) break;
    expect(trace.lines.at(-1)).toBe('a afterAgent aborted');
    expect((await agent.session('s'))?.status).toBe('aborted');
    expect(model.sent()).toBeLessThan(1000);
    await expect(stream.result).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  });

  it('by a throw aborts it too', async () => {
    const agent = await agentWith(writing(100_000));
    const follow = async (): Promise<void> => {
      for await (const event of agent.stream('hello', { sessionId: 's' })) {
        if (isText(event)) throw new Error('seen enough');
      }
    };
    await expect(follow()).rejects.toThrow('seen enough');
    expect((await agent.session('s'))?.status).toBe('aborted');
  });

  it('after the end changes nothing', async () => {
    const agent = await agentWith(writing(3));
    const stream = agent.stream('hello', { sessionId: 's' });
    for await (const event of stream) if (event.type === 'run-end') break;
    expect(await stream.result).toMatchObject({ outcome: 'completed' });
    expect((await agent.session('s'))?.status).toBe('completed');
  });
});

describe('result', () => {
  it('alone drops the events, however many', async () => {
    const model = writing(5000);
    const agent = await agentWith(model);
    expect((await agent.stream('hello').result).text).toHaveLength(25_000);
    expect(model.sent()).toBe(5000);
  });

  it('may be taken before, during and after an iteration', async () => {
    const agent = await agentWith(writing(1000));
    const stream = agent.stream('hello');
    const before = stream.result;
    const collected: AgentEvent[] = [];
    let during: unknown;
    for await (const event of stream) {
      collected.push(event);
      during ??= stream.result;
    }
    expect(collected.filter(isText)).toHaveLength(1000);
    expect(collected.at(-1)).toMatchObject({ type: 'run-end' });
    expect(new Set([await before, await during, await stream.result]).size).toBe(1);
  });

  it('rejects as run does; the iteration throws after its last event', async () => {
    const failing = scriptedModel([{ error: new Error('no') }, { error: new Error('no') }]);
    const agent = await agentWith(failing);
    const { events, error } = await collectEvents(agent.stream('hello'));
    expect(events.at(-1)).toMatchObject({ type: 'run-end', result: { outcome: 'failed' } });
    expect(error).toMatchObject({ code: 'MODEL_FAILED', result: { outcome: 'failed' } });
    await expect(agent.stream('hello').result).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('rejects when the run cannot begin', async () => {
    const agent = await agentWith(writing(1));
    await expect(agent.streamResume('nobody').result).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const { events, error } = await collectEvents(agent.streamResume('nobody'));
    expect([events, error]).toMatchObject([[], { code: 'SESSION_NOT_FOUND' }]);
  });
});
