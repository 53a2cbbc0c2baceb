import { createAgent, type AgentEvent, type JsonValue } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import wordCount from './index.ts';
import { countWords } from './word-count.ts';

async function words(events: AsyncIterable<AgentEvent>): Promise<JsonValue[]> {
  const found: JsonValue[] = [];
  for await (const event of events) {
    if (event.type === 'plugin' && event.plugin === 'word-count' && event.name === 'words')
      found.push(event.data);
  }
  return found;
}

describe('word-count', () => {
  it('says how many words the answer and the session have', async () => {
    const model = scriptedModel([{ text: 'One two three.' }, { text: 'Four.' }]);
    const agent = await createAgent({ model, plugins: [wordCount()] });
    expect(await words(agent.stream('Go', { sessionId: 'a' }))).toEqual([{ answer: 3, session: 3 }]);
    expect(await words(agent.stream('Go on', { sessionId: 'a' }))).toEqual([{ answer: 1, session: 4 }]);
  });

  it('calls an answer long that is over the limit', async () => {
    const model = scriptedModel([{ text: 'One two three.' }, { text: 'One two.' }]);
    const agent = await createAgent({ model, plugins: [wordCount({ limit: 2 })] });
    expect(await words(agent.stream('Go'))).toMatchObject([{ limit: 2, long: true }]);
    expect(await words(agent.stream('Go'))).toMatchObject([{ limit: 2, long: false }]);
  });

  it('says nothing about a run that failed', async () => {
    const model = scriptedModel([{ error: new Error('broken') }]);
    const agent = await createAgent({ model, plugins: [wordCount()] });
    const stream = agent.stream('Go');
    const failure = stream.result.catch((error: unknown) => error);
    await expect(words(stream)).rejects.toThrow('broken');
    expect(await failure).toBeInstanceOf(Error);
  });

  it.each([
    ['limit', 0],
    ['limits', 3],
  ])('refuses the option %s: %j by name', async (key, value) => {
    const plugin = wordCount({ [key]: value });
    await expect(createAgent({ model: scriptedModel([]), plugins: [plugin] })).rejects.toMatchObject({
      code: 'PLUGIN_OPTIONS',
      plugin: 'word-count',
      message: expect.stringContaining(key) as string,
    });
  });

  it('counts words of any script', () => {
    expect(countWords('Well — 2 bees, "one" queen!')).toBe(5);
    expect(countWords('今日は良い天気です')).toBeGreaterThan(2);
    expect(countWords('')).toBe(0);
  });
});
