import { createAgent, textOf } from '@shallot/core';
import { modelError, type ChatModel, type ModelRequest } from '@shallot/core/model';
import { estimateTokens } from '@shallot/core/plugin';
import resilience from '@shallot/plugin-resilience';
import summarization from '@shallot/plugin-summarization';
import { expect, it } from 'vitest';

/** A model that refuses what is longer than its context, and summarizes what it is asked to. */
function modelOf(id: string, contextTokens: number): ChatModel & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id,
    requests,
    async generate(request) {
      requests.push(request);
      const size = request.messages.reduce((sum, message) => sum + estimateTokens(textOf(message)), 0);
      if (size > contextTokens)
        throw modelError('MODEL_CONTEXT_OVERFLOW', { message: `${size} tokens > ${contextTokens} maximum` });
      return {
        message: { role: 'assistant', content: [{ type: 'text', text: `I am ${id}.` }] },
        finish: 'stop',
      };
    },
  };
}

async function talked(own: ChatModel, other: ChatModel, words: number): Promise<readonly string[]> {
  await using agent = await createAgent({
    model: own,
    plugins: [summarization(), resilience({ modelFallback: { models: [other] } })],
    log: 'silent',
  });
  const answers: string[] = [];
  for (let turn = 1; turn <= 8; turn += 1) {
    const { text } = await agent.run(`${turn} ${'word '.repeat(words)}`, { sessionId: 's' });
    answers.push(text);
  }
  return answers;
}

it('a request that is too long is shortened before another model is asked', async () => {
  const [own, other] = [modelOf('own', 1500), modelOf('other', 1500)];
  expect(new Set(await talked(own, other, 300))).toEqual(new Set(['I am own.']));
  expect(other.requests).toEqual([]);
});

it('another model is asked once nothing gets shorter', async () => {
  const [own, other] = [modelOf('own', 20), modelOf('other', 100_000)];
  expect(new Set(await talked(own, other, 30))).toEqual(new Set(['I am other.']));
});
