import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { isShallotError } from '../../base/errors.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { MessageInput } from '../../contract/messages.ts';
import type { ModelRequest } from '../../contract/model.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';

type Hook = 'beforeModel' | 'wrapModelCall';
type Change = (request: ModelRequest) => ModelRequest;

const tool = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'seen',
});

const asks = (...ids: string[]): MessageInput => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', id, name: 'look', input: {} })),
});
const result = (callId: string): MessageInput => ({ role: 'tool', callId, name: 'look', content: 'seen' });

/** Adds messages that are short: the core completes what plugins pass on. */
const adding =
  (...messages: readonly MessageInput[]): Change =>
  (request) => ({ ...request, messages: [...request.messages, ...messages] as ModelRequest['messages'] });

/** Sets members to values that the types do not allow. */
const setting =
  (members: object): Change =>
  (request) => ({ ...request, ...members });

function changing(name: string, priority: number, hook: Hook, change: Change): Plugin {
  return definePlugin({
    name,
    priority,
    setup({ hooks }) {
      if (hook === 'beforeModel') hooks.beforeModel.tap('change', (request) => change(request));
      else hooks.wrapModelCall.tap('change', (request, next) => next(change(request)));
    },
  })();
}

const hint: Change = (request) => ({ ...request, instructions: `${request.instructions} Be brief.` });

/** Runs a plugin between two that change nothing but the instructions. */
async function play(hook: Hook, change: Change) {
  const model = scriptedModel([{ text: 'Done.' }]);
  const plugins = [
    changing('outer', 80, hook, hint),
    changing('bad', 50, hook, change),
    changing('inner', 20, hook, hint),
    changing('innermost', 10, 'wrapModelCall', hint),
  ];
  await using agent = await createAgent({ model, log: 'silent', tools: [tool], plugins });
  const { events, error, result } = await collectEvents(agent.stream('hello'));
  return { requests: model.requests, events, error, result };
}

const invalid: readonly (readonly [what: string, change: Change, named: string])[] = [
  ['call ids that are there twice', adding(asks('a'), result('a'), asks('a'), result('a')), 'call id "a"'],
  ['two calls with one id in one message', adding(asks('a', 'a'), result('a'), result('a')), 'call id "a"'],
  ['a choice of an unknown tool', setting({ toolChoice: { tool: 'lock' } }), '"lock"'],
  [
    'no tool that the choice names',
    (request) => ({ ...setting({ toolChoice: { tool: 'look' } })(request), tools: [] }),
    '"look"',
  ],
  ['a choice that is none', setting({ toolChoice: 'sometimes' }), 'toolChoice'],
  [
    'tools without a schema',
    setting({ tools: [{ name: 'x', description: 'X.', execute: () => '' }] }),
    'tools',
  ],
  ['a list of tools that is none', setting({ tools: {} }), 'tools'],
  ['tools of the provider without an id', setting({ providerTools: [{ name: 'search' }] }), 'providerTools'],
  ['settings that are none', setting({ settings: null }), 'settings'],
  ['an output without a schema', setting({ output: { name: 'x' } }), 'output'],
  ['messages without a role', setting({ messages: [{ content: 'x' }] }), 'A message is not valid'],
  [
    'a message whose content is none',
    setting({ messages: [{ role: 'user', content: 5 }] }),
    'A message is not valid',
  ],
  ['instructions that are none', setting({ instructions: undefined }), 'instructions'],
  ['a model that is none', setting({ model: 'gpt' }), 'model'],
];

describe.each<Hook>(['beforeModel', 'wrapModelCall'])(
  'a plugin that makes a request invalid in %s',
  (hook) => {
    it.each(invalid)('is named, not the model: %s', async (_, change, named) => {
      const { error, requests } = await play(hook, change);
      expect(requests).toEqual([]);
      expect(error).toMatchObject({ plugin: 'bad', hook, result: { stopReason: 'error' } });
      expect(isShallotError(error) && error.message).toContain(named);
    });

    it.each([
      ['a call without a result', adding(asks('a')), 'a'],
      ['a result without a call', adding(result('b')), 'b'],
    ])('is named by the warning that it was repaired: %s', async (_, change, id) => {
      const { events, result } = await play(hook, change);
      expect(result?.outcome).toBe('completed');
      const warnings = events.filter(({ type }) => type === 'warning');
      expect(warnings).toMatchObject([{ code: 'MESSAGES_REPAIRED', plugin: 'bad' }]);
      expect(JSON.stringify(warnings)).toContain(id);
    });
  },
);

it('a choice of a tool that a layer inside adds is valid', async () => {
  const model = scriptedModel([{ text: 'Done.' }]);
  const choosing = changing('choosing', 80, 'wrapModelCall', setting({ toolChoice: { tool: 'look' } }));
  const adds = changing('adds', 20, 'wrapModelCall', (request) => ({ ...request, tools: [tool] }));
  await using agent = await createAgent({ model, log: 'silent', plugins: [choosing, adds] });
  expect(await agent.run('hello')).toMatchObject({ outcome: 'completed' });
});
