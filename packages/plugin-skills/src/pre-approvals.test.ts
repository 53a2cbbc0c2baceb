import { definePlugin, defineTool } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { preApprovalsKey } from '@shallot/core/plugin';
import type { ScriptedStep } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { bench, filesWith, reads, skillFile } from '../test/bench.ts';
import type { SkillsOptions } from './index.ts';

const runTool = (name: string) =>
  defineTool({ name, description: 'Runs a command.', input: { type: 'object' }, execute: () => 'ok' });

const runs = (command: string, name = 'bash'): ScriptedStep => ({ toolCalls: [{ name, args: { command } }] });

/** Runs these steps, and gives what is said of each call of `bash` and `Bash`. */
async function verdicts(
  files: Files,
  steps: readonly ScriptedStep[],
  options: SkillsOptions = { toolNames: { Bash: 'bash' } },
): Promise<(string | undefined)[]> {
  const said: (string | undefined)[] = [];
  const asks = definePlugin({
    name: 'asks',
    setup({ hooks, use }) {
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, { run }) => {
        if (call.name !== 'skill') said.push(await use(preApprovalsKey('skills'))?.allows(call, run));
        return next(call);
      });
    },
  })();
  const tools = [runTool('bash'), runTool('Bash')];
  const { agent } = await bench(files, steps, { options, tools, plugins: [asks] });
  await agent.run('Hi', { sessionId: 's' });
  return said;
}

const commit = skillFile('commit', { more: 'allowed-tools: Bash(git add:*) Read\n' });

describe('what a skill allows', () => {
  it('is said once the model has read it, with the reason', async () => {
    const files = await filesWith({ '/skills/commit/SKILL.md': commit });
    const steps = [runs('git add .'), reads('commit'), runs('git add .'), runs('git push')];
    expect(await verdicts(files, steps)).toEqual([
      undefined,
      'Bash(git add:*) of the skill commit',
      undefined,
    ]);
  });

  it('is about tools by the very name, unless they have others here', async () => {
    const files = await filesWith({ '/skills/commit/SKILL.md': commit });
    const steps = [reads('commit'), runs('git add .', 'bash'), runs('git add .', 'Bash')];
    expect(await verdicts(files, steps, {})).toEqual([undefined, expect.any(String)]);
    expect(await verdicts(files, steps)).toEqual([expect.any(String), undefined]);
  });

  it('counts only as long as the skill is the one that was read', async () => {
    const changes: ((files: Files) => Promise<unknown>)[] = [
      (files) => files.write('/skills/commit/SKILL.md', commit.replace('Bash(git add:*)', 'Bash')),
      (files) => files.remove('/skills/commit/SKILL.md'),
      (files) => files.write('/skills/other/SKILL.md', commit),
    ];
    for (const change of changes) {
      const files = await filesWith({ '/skills/commit/SKILL.md': commit });
      const { agent, store } = await bench(files, [reads('commit')]);
      await agent.run('Hi', { sessionId: 's' });
      await change(files);
      const said: (string | undefined)[] = [];
      const asks = definePlugin({
        name: 'asks',
        setup({ hooks, use }) {
          hooks.beforeModel.tapPromise('ask', async (_, run) => {
            const call = { id: 'c', name: 'Bash', input: { command: 'git add .' }, index: 0 };
            said.push(await use(preApprovalsKey('skills'))?.allows(call, run));
          });
        },
      })();
      const next = await bench(files, [], { store, plugins: [asks] });
      await next.agent.run('Hi', { sessionId: 's' });
      await next.agent.run('Hi', { sessionId: 'another' });
      expect(said).toEqual([undefined, undefined]);
    }
  });

  it('is nothing for a file of the skill that was read', async () => {
    const files = await filesWith({ '/skills/commit/SKILL.md': commit, '/skills/commit/a.md': 'a' });
    const steps = [reads({ name: 'commit', file: 'a.md' }), runs('git add .')];
    expect(await verdicts(files, steps)).toEqual([undefined]);
  });
});
