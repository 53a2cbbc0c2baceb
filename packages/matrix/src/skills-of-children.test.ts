import { createAgent, textOf } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import skills from '@shallot/plugin-skills';
import subagents from '@shallot/plugin-subagents';
import { collectEvents, scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

it('the texts of the skills that a definition names come before the prompt, once', async () => {
  const files = memoryFiles();
  await files.write(
    '/skills/tea/SKILL.md',
    '---\nname: tea\ndescription: Makes tea.\n---\nBoil the water first.',
  );
  await files.write('/agents/cook.md', '---\nname: cook\ndescription: Cooks.\nskills: tea, soup\n---\nCook.');
  const task = (session?: string) => ({
    toolCalls: [{ name: 'task', args: { agent: 'cook', prompt: 'Make tea.', ...(session && { session }) } }],
  });
  const model = scriptedModel([
    task(),
    { text: 'It is ready.' },
    ({ messages }) => task(/child_[\w-]+/.exec(messages.map((each) => textOf(each)).join())?.[0]),
    { text: 'Again.' },
    { text: 'Tea is ready.' },
  ]);
  const agent = await createAgent({ model, files, plugins: [skills(), subagents()], log: 'silent' });
  const { events } = await collectEvents(agent.stream('Tea, please.', { sessionId: 's' }));
  await agent.close();
  const prompts = model.requests[3]?.messages.filter(({ role }) => role === 'user');
  expect(prompts?.map(({ content }) => content.length)).toEqual([2, 1]);
  expect(prompts?.[0] && textOf(prompts[0])).toMatch(/Boil the water first\.[^]*Make tea\.$/);
  expect(model.requests[1]?.instructions).toBe('Cook.');
  expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
    { code: 'subagents/SKILL_MISSING', message: expect.stringContaining('"soup"') as string },
  ]);
});
