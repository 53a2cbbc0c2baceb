import { textOf } from '@shallot/core';
import { memoryFiles, type Files } from '@shallot/core/files';
import { expect, it } from 'vitest';

import { bench, filesWith, reads, resultsIn, skillFile } from '../test/bench.ts';
import { loadSkills } from './finding/load-skills.ts';

const only = 'disable-model-invocation: true\n';

it('A skill that only people may call is no skill of the model, and a command', async () => {
  const files = await filesWith({
    '/skills/deploy/SKILL.md': skillFile('deploy', { more: only, body: 'Ask twice.' }),
    '/skills/deploy/steps.md': 'x',
    '/skills/pdf/SKILL.md': skillFile('pdf'),
  });
  const { agent, model } = await bench(files, [reads('deploy')]);
  const commands = await agent.commands();
  expect(commands).toMatchObject([{ name: 'deploy', kind: 'skill', about: 'Does deploy.' }]);
  await agent.run((await commands[0]?.input('to the moon')) ?? '');
  const [first, second] = model.requests;
  expect(first?.instructions).toContain('<name>pdf</name>');
  expect(first?.instructions).not.toContain('deploy');
  expect(first?.messages.map((message) => textOf(message))).toEqual([
    '<skill name="deploy" path="/skills/deploy/SKILL.md">\nAsk twice.\n</skill>\n\nOther files of this skill, in /skills/deploy:\n- steps.md\n\nto the moon',
  ]);
  expect(resultsIn(second?.messages)[0]).toContain('The arguments of skill are not valid');
});

it('Without other text, the skill is the message; a change of the files shows at once', async () => {
  const files = await filesWith({ '/skills/a/SKILL.md': skillFile('a', { more: only, body: 'A.' }) });
  const { agent } = await bench(files);
  const [command] = await agent.commands();
  expect(await command?.input('')).toBe('<skill name="a" path="/skills/a/SKILL.md">\nA.\n</skill>');
  await files.write('/skills/b/SKILL.md', skillFile('b', { more: only }));
  expect((await agent.commands()).map(({ name }) => name)).toEqual(['a', 'b']);
});

it('Where runs have files of their own, the commands are those of a run of this session and context', async () => {
  const byPlace: Record<string, Files> = {
    'one ann': await filesWith({ '/skills/a/SKILL.md': skillFile('a', { more: only, body: 'A.' }) }),
    'one bob': await filesWith({ '/skills/b/SKILL.md': skillFile('b', { more: only }) }),
    'two ann': await filesWith({ '/skills/c/SKILL.md': skillFile('c', { more: only }) }),
  };
  const { agent, model } = await bench(memoryFiles(), [], {
    files: ({ sessionId, context }) => byPlace[`${sessionId} ${String(context)}`] ?? memoryFiles(),
  });
  const namesFor = async (sessionId: string, context: string) =>
    (await agent.commands({ sessionId, context })).map(({ name }) => name);
  expect(await namesFor('one', 'bob')).toEqual(['b']);
  expect(await namesFor('two', 'ann')).toEqual(['c']);
  expect(await agent.commands()).toEqual([]);
  const ann = { sessionId: 'one', context: 'ann' };
  const [command] = await agent.commands(ann);
  await agent.run((await command?.input('')) ?? '', ann);
  expect(model.requests[0]?.messages.map((message) => textOf(message))).toEqual([
    '<skill name="a" path="/skills/a/SKILL.md">\nA.\n</skill>',
  ]);
});

it('Of two skills with one name the later one counts, whoever may call them', async () => {
  const files = await filesWith({
    '/a/x/SKILL.md': skillFile('x'),
    '/b/x/SKILL.md': skillFile('x', { more: only }),
  });
  const { skills, userOnly } = await loadSkills(files, ['/a', '/b']);
  expect([skills.size, [...userOnly.keys()]]).toEqual([0, ['x']]);
});
