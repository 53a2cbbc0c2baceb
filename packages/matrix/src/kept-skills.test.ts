import { createAgent } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import contextEditing, { type ContextEditingOptions } from '@shallot/plugin-context-editing';
import skills from '@shallot/plugin-skills';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

const text = 'Boil the water first.';
const edits: readonly (readonly [what: string, options: ContextEditingOptions])[] = [
  ['only the last messages are sent', { lastN: 2 }],
  ['tool calls are left out', { stripToolCalls: true }],
  ['old results are cleared', { clearToolResults: { trigger: { tokens: 1 }, keep: 0 } }],
  ['they are left out for good', { stripToolCalls: true, persist: true }],
];

it.each(edits)('a skill that was read stays in the request when %s', async (_, options) => {
  const files = memoryFiles();
  await files.write('/skills/tea/SKILL.md', `---\nname: tea\ndescription: Makes tea.\n---\n${text}`);
  const model = scriptedModel([
    { toolCalls: [{ name: 'skill', args: { name: 'tea' } }] },
    { text: 'I know it now.' },
    { text: 'First the water.' },
    { text: 'Then the tea.' },
  ]);
  const agent = await createAgent({
    model,
    files,
    plugins: [contextEditing(options), skills()],
    log: 'silent',
  });
  for (const input of ['Read about tea.', 'How?', 'And then?']) await agent.run(input, { sessionId: 's' });
  await agent.close();
  const sent = model.requests.map(({ instructions, messages }) => JSON.stringify([instructions, messages]));
  expect(sent.map((request) => request.split(text).length - 1)).toEqual([0, 1, 1, 1]);
});
