import { memoryStore } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import hitl from '@shallot/plugin-hitl';
import subagents from '@shallot/plugin-subagents';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { expect, it } from 'vitest';

import { bash, hookedAgent, loggedIn, script } from '../../test/hooked-agent.ts';

const log = [{ command: script('log-everything.sh') }];
const task = { name: 'task', args: { agent: 'worker', description: 'Work', prompt: 'Make it.' } };

/** A process of an agent whose config says `read-only`, and asks about the shell. */
function processOn(store: Store, root: readonly ScriptedStep[], child: readonly ScriptedStep[]) {
  const worker = { name: 'worker', description: 'Works.', model: scriptedModel(child) };
  return hookedAgent(
    {
      SessionStart: log,
      SubagentStart: log,
      PreToolUse: log,
      PostToolUse: log,
      SubagentStop: log,
      Stop: log,
    },
    {
      store,
      permissions: { allow: ['task'], ask: ['shell'], mode: 'read-only' },
      plugins: [hitl(), subagents({ agents: [worker] })],
      steps: root,
    },
  );
}

const modesIn = (root: string) =>
  loggedIn(root).map((event) => [event['hook_event_name'], event['agent_type'], event['permission_mode']]);

it('Hooks see the mode that was chosen, in a child too, and after a resume in another process', async () => {
  const store = memoryStore();
  await using first = await processOn(store, [{ toolCalls: [task] }], [{ toolCalls: [bash('make')] }]);
  first.agent.permissions?.chooseMode('s', 'edits');
  const { interrupts } = await first.agent.run('Go.', { sessionId: 's' });
  expect(modesIn(first.root)).toEqual([
    ['SessionStart', undefined, 'acceptEdits'],
    ['PreToolUse', undefined, 'acceptEdits'],
    ['SubagentStart', 'worker', 'acceptEdits'],
    ['PreToolUse', 'worker', 'acceptEdits'],
  ]);
  await using second = await processOn(store, [{ text: 'Done.' }], [{ text: 'Made.' }]);
  await second.agent.resume('s', { [interrupts[0]?.id ?? '']: { decision: 'approve' } });
  expect(modesIn(second.root)).toEqual([
    ['PostToolUse', 'worker', 'acceptEdits'],
    ['SubagentStop', 'worker', 'acceptEdits'],
    ['PostToolUse', undefined, 'acceptEdits'],
    ['Stop', undefined, 'acceptEdits'],
  ]);
});

it('A prompt comes with the mode that was chosen for its run, else with that of the config', async () => {
  await using tried = await hookedAgent(
    { UserPromptSubmit: log },
    {
      permissions: { mode: 'read-only' },
      plugins: [hitl()],
      steps: [{ text: 'a' }, { text: 'b' }],
    },
  );
  await tried.agent.run('Go.', { sessionId: 's' });
  tried.agent.permissions?.chooseMode('s', 'edits');
  await tried.agent.run('Go.', { sessionId: 's' });
  expect(modesIn(tried.root).map(([, , mode]) => mode)).toEqual(['plan', 'acceptEdits']);
});
