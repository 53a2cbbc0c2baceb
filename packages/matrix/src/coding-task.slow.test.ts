import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { textOf, type Interrupt } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import type { ApprovalDetails } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { codingTask, repository } from '../test/coding-task.ts';
import { testProject } from '../test/project.ts';

const guide = new URL('../../../docs/guides/permissions.md', import.meta.url);

/** Returns the config that the guide gives for a coding agent, without its model. Bubblewrap does not work on every machine. */
function configOfGuide(): string {
  const found = /A coding agent in a repository[^]*?```yaml\n([^]*?)```/.exec(readFileSync(guide, 'utf8'));
  return (found?.[1] ?? '').replace(/^model:.*\n/m, '').replace('sandbox: true', 'testing: trusted');
}

/** Returns the command or path that a person is asked about, and the rule that is proposed to them. */
function whatIsAsked({ call, details }: Interrupt): readonly unknown[] {
  const { command, path } = (call?.input ?? {}) as { readonly command?: string; readonly path?: string };
  return [command ?? path, (details as ApprovalDetails).always?.rule];
}

it('A coding task of 40 calls asks five questions by the config of the guide, with rules that would end them', async () => {
  const folder = testProject({ ...repository, 'shallot.config.yaml': configOfGuide() });
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '-q');
  git('config', 'user.email', 'ada@example.org');
  git('config', 'user.name', 'Ada');
  git('add', 'src', 'test', 'README.md');
  git('commit', '-q', '-m', 'Spans');
  const model = scriptedModel([
    ...codingTask.map(([name, args]) => ({ toolCalls: [{ name, args }] })),
    { text: 'Done.' },
  ]);
  const { agent } = await loadAgent({ cwd: folder, model, log: 'silent' });
  const asked: unknown[] = [];
  try {
    let result = await agent.run('Mend parseSpan, and add hours.', { sessionId: 's' });
    for (let [question] = result.interrupts; question !== undefined; [question] = result.interrupts) {
      asked.push(whatIsAsked(question));
      result = await agent.resume('s', { [question.id]: { decision: 'approve' } });
    }
    const results = result.messages.filter(({ role }) => role === 'tool');
    expect(codingTask).toHaveLength(40);
    expect(results.map((message) => ('isError' in message ? textOf(message) : ''))).toEqual(
      results.map(() => ''),
    );
    expect(asked).toEqual([
      [`node -e "import('./src/index.js').then(({ parseSpan }) => console.log(parseSpan('3h')))"`, undefined],
      ['/README.md', 'edit(/README.md)'],
      ['/package.json', 'edit(/package.json)'],
      ['npm pkg set version=1.1.0', 'shell(npm pkg set version=1.1.0)'],
      ['git add -A && git commit -q -m "Spans of several digits, and hours"', undefined],
    ]);
    expect(git('log', '--oneline').split('\n')).toHaveLength(3);
  } finally {
    await agent.close();
  }
});
