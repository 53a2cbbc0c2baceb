import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { HookFunctions } from '../../contract/hooks.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { createAgent } from '../../create-agent.ts';

const hooksOfResponses = ['wrapModelCall', 'afterModel'] as const;
type ResponseHook = (typeof hooksOfResponses)[number];

function answering(hook: ResponseHook, response: unknown): Plugin {
  // The compiler would not let most of these through.
  const answer = (() => response) as unknown as HookFunctions['wrapModelCall'];
  return definePlugin({ name: 'guard', setup: ({ hooks }) => hooks[hook].tap('answer', answer as never) })();
}

async function runWith(hook: ResponseHook, response: unknown) {
  const model = scriptedModel(hook === 'afterModel' ? [{ text: 'An onion.' }] : []);
  await using agent = await createAgent({
    log: 'silent',
    model,
    plugins: [answering(hook, response)],
  });
  return await agent.run('hello');
}

const parts = [{ type: 'text', text: 'cached' }];
const message = (content: unknown): object => ({ role: 'assistant', content });

for (const hook of hooksOfResponses) {
  describe(`a response that ${hook} makes itself`, () => {
    it.each([
      ['with all members', { message: message(parts), finish: 'stop' }],
      ['with text for content', { message: message('cached'), finish: 'stop' }],
      ['without finish', { message: message(parts) }],
      ['with neither', { message: message('cached') }],
    ])('may be written %s', async (_, response) => {
      const result = await runWith(hook, response);
      expect(result).toMatchObject({ stopReason: 'answer', finish: 'stop', text: 'cached' });
      expect(result.messages.at(-1)?.content).toEqual(parts);
    });

    it.each([
      ['"cached"', 'cached'],
      ['null', null],
      ['an object with the keys text', { text: 'cached' }],
      ['message is "cached"', { message: 'cached' }],
      ['message.role is "user" instead of "assistant"', { message: { role: 'user', content: parts } }],
      ['message.content is the number 5', { message: message(5) }],
      ['message.content[0] is "cached"', { message: message(['cached']) }],
      ['message.content[0].type is "txt"', { message: message([{ type: 'txt', text: 'cached' }]) }],
      [
        'message.content[1].text is the number 1',
        { message: message([...parts, { type: 'text', text: 1 }]) },
      ],
      ['message.content[0].name is undefined', { message: message([{ type: 'tool-call', input: {} }]) }],
      ['finish is "weird"', { message: message('cached'), finish: 'weird' }],
      ['finish is "error"', { message: message('cached'), finish: 'error' }],
      ['usage.total is undefined', { message: message('cached'), usage: { input: 1, output: 1 } }],
    ])('is refused by the member that is wrong: %s', async (fault, response) => {
      await expect(runWith(hook, response)).rejects.toMatchObject({
        code: 'HOOK_RESULT',
        plugin: 'guard',
        hook,
        message: expect.stringContaining(fault) as unknown,
      });
    });
  });
}

it('may be undefined in afterModel alone', async () => {
  expect((await runWith('afterModel', undefined)).text).toBe('An onion.');
  await expect(runWith('wrapModelCall', undefined)).rejects.toMatchObject({ code: 'HOOK_RESULT' });
});
