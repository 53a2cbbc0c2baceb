import { readFileSync } from 'node:fs';

import { textOf, type Interrupt } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import type { ApprovalDetails } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { cloneWith, codingTask, gitIn } from '../test/coding-task.ts';

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

it('A coding task of 40 calls in this repository asks five questions by the config of the guide, with rules that would end them', async () => {
  const folder = cloneWith(configOfGuide());
  const git = gitIn(folder);
  const before = git('rev-list', '--count', 'HEAD');
  const model = scriptedModel([
    ...codingTask.map(([name, args]) => ({ toolCalls: [{ name, args }] })),
    { text: 'Done.' },
  ]);
  const { agent } = await loadAgent({ cwd: folder, model, log: 'silent' });
  const asked: unknown[] = [];
  try {
    let result = await agent.run('Take names with a namespace.', { sessionId: 's' });
    for (let [question] = result.interrupts; question !== undefined; [question] = result.interrupts) {
      asked.push(whatIsAsked(question));
      result = await agent.resume('s', { [question.id]: { decision: 'approve' } });
    }
    const results = result.messages.filter(({ role }) => role === 'tool');
    expect(codingTask).toHaveLength(40);
    expect(results.map((message) => ('isError' in message ? textOf(message) : ''))).toEqual(
      results.map(() => ''),
    );
    const tested = results.map(textOf).filter((text) => text.includes('Test Files'));
    expect(tested.map((text) => /Tests .*?(\d+) passed/.exec(text)?.[1])).toHaveLength(3);
    expect(asked).toEqual([
      // A rule is a list of words, so none can name code: it would release any that begins like this.
      [`node -e "import('./src/nearest-tool.ts').then((all) => console.log(Object.keys(all)))"`, undefined],
      ['/README.md', 'edit(/README.md)'],
      ['npm pkg get version', 'shell(npm pkg get version)'],
      ['git add src README.md', 'shell(git add src README.md)'],
      ['git commit -q -m namespaces', 'shell(git commit -q -m namespaces)'],
    ]);
    expect(Number(git('rev-list', '--count', 'HEAD'))).toBe(Number(before) + 1);
  } finally {
    await agent.close();
  }
});
