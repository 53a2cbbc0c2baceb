import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { replacing, tapped } from '../../../test/input-taps.ts';
import type { JsonValue } from '../../base/json.ts';
import type { InputFunction } from '../../contract/hooks.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';

/** The answer that a tool gets to its question, and what a tap on the input sees of it. */
async function answered(given: JsonValue, fn: InputFunction = replacing('secret', '****')) {
  const seen: string[][] = [];
  let got: unknown;
  const asking = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    async execute(_, { interrupt }) {
      got = await interrupt({ kind: 'question', payload: 'Which?', answer: {} });
      return 'ok';
    },
  });
  const tap = tapped((messages, context) => {
    if (context.kind === 'answer')
      seen.push(
        messages.flatMap(({ id, content }) =>
          content.map((part) => `${id} ${'text' in part ? part.text : part.type}`),
        ),
      );
    return fn(messages, context);
  });
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'Done.' }]),
    tools: [asking],
    plugins: [tap],
  });
  const { interrupts } = await agent.run('Go', { sessionId: 's' });
  const id = interrupts[0]?.id ?? '';
  await agent.resume('s', { [id]: given });
  return { got, seen: seen.map((texts) => texts.map((text) => text.replace(id, 'ID'))) };
}

it.each<[string, JsonValue, JsonValue, string[]]>([
  ['a string', 'my secret', 'my ****', ['my secret']],
  ['a number', 7, 7, ['7']],
  ['a list', ['secret', 1, [2, 'x']], ['****', 1, [2, 'x']], ['secret', '1', '2', 'x']],
  [
    'an object',
    { a: 'secret', b: { c: 1, d: null }, e: [true, 'secret'] },
    { a: '****', b: { c: 1, d: null }, e: [true, '****'] },
    ['secret', '1', 'secret'],
  ],
])('%s passes the taps on the input as one message, and keeps its shape', async (_, given, got, texts) => {
  expect(await answered(given)).toEqual({ got, seen: [texts.map((text) => `ID.1 ${text}`)] });
});

it.each<[string, JsonValue]>([
  ['null', null],
  ['a boolean', false],
  ['white space', ' \n'],
  ['an empty list', []],
  ['an object without strings and numbers', { a: [null, true], b: '' }],
])('%s is no message, so no tap sees it', async (_, given) => {
  expect(await answered(given)).toEqual({ got: given, seen: [] });
});

it('a number that a tap replaces becomes the text of the tap', async () => {
  expect(await answered({ card: 4111, count: 2 }, replacing('4111', '****'))).toMatchObject({
    got: { card: '****', count: 2 },
  });
});
