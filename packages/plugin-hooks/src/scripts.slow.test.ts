import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import hitl from '@shallot/plugin-hitl';
import { collectEvents } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import {
  bash,
  hookedAgent,
  loggedIn,
  script,
  stepsOf,
  textsOf,
  type TriedCall,
} from '../test/hooked-agent.ts';

const write = (path: string, content = 'x'): TriedCall => ({ name: 'write_file', args: { path, content } });
const edit = (path: string, old_string: string, new_string: string): TriedCall => ({
  name: 'edit_file',
  args: { path, old_string, new_string },
});
const editMany = (path: string, ...edits: readonly [string, string][]): TriedCall => ({
  name: 'edit_file',
  args: { path, edits: edits.map(([old_string, new_string]) => ({ old_string, new_string })) },
});

describe.concurrent('a script before a call', () => {
  const passes: readonly [string, TriedCall][] = [
    ['no-rm-root.sh', bash('rm -rf build')],
    ['no-force-push.mjs', bash('git push --force-with-lease origin main')],
    ['no-secret-files.sh', write('/notes.md')],
    ['inside-project.mjs', write('/src/a.ts')],
    ['prefer-rg.sh', bash('rg x')],
    ['no-skipped-tests.mjs', write('/a.test.ts', 'it.skip(')],
    ['log-everything.sh', bash('ls')],
    ['ask-publish.sh', bash('npm test')],
    ['allow-status.sh', bash('git status')],
    ['old-approve.sh', bash('make')],
    ['crash.sh', bash('ls')],
  ];
  it.each(passes)('lets a call through: %s', async (name, call) => {
    await using tried = await hookedAgent(
      { PreToolUse: [{ command: script(name) }] },
      { steps: stepsOf([call]) },
    );
    const result = await tried.agent.run('Go.');
    expect(result.messages.filter((message) => 'denied' in message)).toEqual([]);
    expect(result.text).toBe('Done.');
  });

  const blocks: readonly [string, TriedCall, string][] = [
    ['no-rm-root.sh', bash('rm -rf / '), 'rm of the root directory is not allowed'],
    ['no-force-push.mjs', bash('git push -f origin main'), 'main is not pushed by force'],
    ['no-secret-files.sh', write('/config/.env'), 'files with secrets stay closed'],
    ['inside-project.mjs', write('/vendor/a.js'), 'vendored code is not changed by hand'],
    ['old-block.sh', bash('ls'), 'no tools on Sundays'],
    ['prefer-rg.sh', bash('grep x y'), 'Use rg instead of grep.\nIt also skips ignored files.'],
    ['no-skipped-tests.mjs', edit('/a.test.ts', 'it(', 'it.skip('), 'Mend the code, not the test.'],
    [
      'no-skipped-tests.mjs',
      editMany('/a.test.ts', ['x', 'y'], ['it(', 'it.skip(']),
      'Mend the code, not the test.',
    ],
    ['escape.mjs', write('/a.md'), 'which is outside of'],
  ];
  it.each(blocks)('blocks a call, and gives the model its reason: %s', async (name, call, reason) => {
    await using tried = await hookedAgent(
      { PreToolUse: [{ command: script(name) }] },
      { steps: stepsOf([call]) },
    );
    const result = await tried.agent.run('Go.');
    const denied = result.messages.find((message) => message.role === 'tool');
    expect(denied).toMatchObject({ isError: true, denied: { by: 'hooks' } });
    expect(textsOf(result, 'tool').join()).toContain(reason);
    expect(tried.executed).toEqual([]);
  });

  it('ends the run', async () => {
    const steps = stepsOf([bash('ls')]);
    await using tried = await hookedAgent({ PreToolUse: [{ command: script('halt.sh') }] }, { steps });
    expect(await tried.agent.run('Go.')).toMatchObject({
      text: 'The budget of the day is spent.',
      stopReason: 'ended',
    });
  });

  it('changes the arguments, which the next script sees', async () => {
    const events = {
      PreToolUse: [
        { match: 'Bash', command: script('dry-run.mjs') },
        { match: 'Bash', command: script('log-everything.sh') },
      ],
    };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('deploy')]) });
    const result = await tried.agent.run('Go.');
    expect(tried.executed).toEqual([{ command: 'deploy --dry-run' }]);
    expect(textsOf(result, 'tool')).toEqual(['ran\nIt was a dry run.']);
    expect(loggedIn(tried.root)).toMatchObject([
      { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'deploy --dry-run' } },
    ]);
  });

  it('changes a path, which is absolute for it', async () => {
    const events = { PreToolUse: [{ match: 'Write', command: script('trim-path.mjs') }] };
    await using tried = await hookedAgent(events, { steps: stepsOf([write('/a.md', 'hello')]) });
    await tried.agent.run('Go.');
    expect(readFileSync(join(tried.root, 'drafts', 'a.md'), 'utf8')).toBe('hello');
  });

  it('that changes the arguments to what the tool does not take makes the call an error', async () => {
    const events = { PreToolUse: [{ command: script('broken-update.sh') }] };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('ls')]) });
    const result = await tried.agent.run('Go.');
    expect(textsOf(result, 'tool').join()).toContain('command');
    expect(tried.executed).toEqual([]);
  });

  it.each([
    ['approve', [{ command: 'npm publish' }]],
    ['reject', []],
  ])('asks a person: %s', async (decision, executed) => {
    const events = { PreToolUse: [{ command: script('ask-publish.sh') }] };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('npm publish')]) });
    const { interrupts, sessionId } = await tried.agent.run('Go.', { sessionId: 's' });
    expect(interrupts).toMatchObject([{ kind: 'approval', payload: { tool: 'shell' } }]);
    expect(tried.executed).toEqual([]);
    await tried.agent.resume(sessionId, { [interrupts[0]?.id ?? '']: { decision } });
    expect(tried.executed).toEqual(executed);
  });

  it('is called for the calls that its match covers', async () => {
    const log = { command: script('log-everything.sh') };
    const events = {
      PreToolUse: [
        { ...log, match: 'Write|mcp__github' },
        { ...log, match: 'shell(command=git*)' },
      ],
    };
    const calls = [bash('ls'), bash('git status'), write('/a.md'), { name: 'ls', args: {} }];
    await using tried = await hookedAgent(events, { steps: stepsOf(calls) });
    await tried.agent.run('Go.');
    expect(loggedIn(tried.root).map((each) => each['tool_input'])).toEqual([
      { command: 'git status' },
      { file_path: join(tried.root, 'a.md'), content: 'x' },
    ]);
  });

  it('allows a call only where the approval plugin names it', async () => {
    const events = { PreToolUse: [{ command: script('allow-status.sh') }] };
    for (const [preApprovals, outcome] of [
      [[], 'interrupted'],
      [['hooks'], 'completed'],
    ] as const) {
      const plugins = [hitl({ tools: { shell: true }, preApprovals })];
      await using tried = await hookedAgent(events, { steps: stepsOf([bash('git status')]), plugins });
      expect((await tried.agent.run('Go.')).outcome).toBe(outcome);
    }
  });

  it('runs once for one decision, also when the call is entered again', async () => {
    const events = { PreToolUse: [{ command: script('log-everything.sh') }] };
    const plugins = [hitl({ tools: { shell: true } })];
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('make')]), plugins });
    const { interrupts } = await tried.agent.run('Go.', { sessionId: 's' });
    await tried.agent.resume('s', { [interrupts[0]?.id ?? '']: { decision: 'approve' } });
    expect(tried.executed).toEqual([{ command: 'make' }]);
    expect(loggedIn(tried.root)).toHaveLength(1);
  });
});

describe.concurrent('a script after a call', () => {
  it('tells the model what is wrong', async () => {
    const events = { PostToolUse: [{ match: 'Edit|Write', command: script('lint.mjs') }] };
    await using tried = await hookedAgent(events, {
      steps: stepsOf([write('/a.ts', '\tx'), write('/b.ts', 'x')]),
    });
    const [first, second] = textsOf(await tried.agent.run('Go.'), 'tool');
    expect(first).toContain(`${join(tried.root, 'a.ts')}: tabs are not used here`);
    expect(second).not.toContain('tabs');
  });

  it('adds to a result, and shows its message', async () => {
    const events = { PostToolUse: [{ command: script('note-result.sh') }] };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('ls')]) });
    const { events: seen, result } = await collectEvents(tried.agent.stream('Go.'));
    expect(seen.filter(({ type }) => type === 'warning')).toMatchObject([{ code: 'hooks/HOOK_MESSAGE' }]);
    expect(textsOf(result ?? { messages: [] }, 'tool')).toEqual(['ran\nThe coverage fell.']);
  });

  it('replaces a result', async () => {
    const events = { PostToolUse: [{ command: script('hide-result.mjs') }] };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('ls')]) });
    expect(textsOf(await tried.agent.run('Go.'), 'tool')).toEqual(['It was much.']);
  });

  it('helps after a failure', async () => {
    const command = script('help-failure.sh');
    const events = {
      PostToolUseFailure: [{ command }],
      PostToolUse: [{ command: script('hide-result.mjs') }],
    };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('fail')]) });
    expect(textsOf(await tried.agent.run('Go.'), 'tool').join()).toMatch(
      /not found.*Look at the list of files\./s,
    );
  });

  it('sees the arguments that a script before the call has put in place', async () => {
    const events = {
      PreToolUse: [{ command: script('dry-run.mjs') }],
      PostToolUse: [{ command: script('log-everything.sh') }],
    };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('deploy')]) });
    await tried.agent.run('Go.');
    expect(loggedIn(tried.root)).toMatchObject([
      { tool_input: { command: 'deploy --dry-run' }, tool_response: { stdout: 'ran\nIt was a dry run.' } },
    ]);
  });
});

describe.concurrent('a script before a prompt', () => {
  it.each([
    ['no-keys-in-prompt.sh', 'Use sk-abcdefghijk.', 'the prompt has an API key'],
    ['no-essays.mjs', 'a'.repeat(300), '300 characters are too many'],
    ['halt.sh', 'Hi', 'The budget of the day is spent.'],
  ])('blocks it, and nothing is stored: %s', async (name, prompt, reason) => {
    await using tried = await hookedAgent({ UserPromptSubmit: [{ command: script(name) }] });
    await expect(tried.agent.run(prompt, { sessionId: 's' })).rejects.toMatchObject({
      code: 'hooks/PROMPT_BLOCKED',
      message: expect.stringContaining(reason) as string,
    });
    expect(await tried.agent.session('s')).toBeUndefined();
  });

  it('adds context', async () => {
    const events = {
      UserPromptSubmit: [{ command: script('add-branch.sh') }, { command: script('no-essays.mjs') }],
    };
    await using tried = await hookedAgent(events, { steps: stepsOf([]) });
    expect(textsOf(await tried.agent.run('Hi'), 'user')).toEqual(['The branch is main.', 'Hi']);
  });
});

describe.concurrent('a script at the beginning of a session', () => {
  it('gives the model context, once', async () => {
    const events = {
      SessionStart: [{ command: script('load-context.mjs') }, { command: script('add-branch.sh') }],
    };
    await using tried = await hookedAgent(events, { steps: [{ text: 'a' }, { text: 'b' }] });
    const first = await tried.agent.run('Hi', { sessionId: 's' });
    expect(textsOf(first, 'user')).toEqual(['The branch is main.', 'Write in British English.', 'Hi']);
    expect(textsOf(await tried.agent.run('Again', { sessionId: 's' }), 'user')).toEqual(['Again']);
  });
});

describe.concurrent('a script at the end of an answer', () => {
  it('sends the run on until the transcript has what it wants', async () => {
    const events = { Stop: [{ command: script('promise.sh'), transcript: true }] };
    await using tried = await hookedAgent(events, { steps: [{ text: 'Half.' }, { text: 'ALL DONE' }] });
    const result = await tried.agent.run('Go.');
    expect(textsOf(result, 'user')).toEqual(['Go.', 'Go on, and write ALL DONE at the end.']);
    expect(result.text).toBe('ALL DONE');
  });

  it('reads the calls of the conversation', async () => {
    const events = { Stop: [{ command: script('tests-were-run.mjs'), transcript: true }] };
    await using lazy = await hookedAgent(events, { steps: [{ text: 'Done.' }, { text: 'Still done.' }] });
    expect(textsOf(await lazy.agent.run('Go.'), 'user')).toEqual(['Go.', 'Run npm test first.']);
    await using keen = await hookedAgent(events, { steps: stepsOf([bash('npm test')]) });
    expect(textsOf(await keen.agent.run('Go.'), 'user')).toEqual(['Go.']);
  });

  it('sends it on three times at most', async () => {
    const events = { Stop: [{ command: 'echo \'{"decision":"block","reason":"More."}\'' }] };
    const steps = ['a', 'b', 'c', 'd', 'e'].map((text) => ({ text }));
    await using tried = await hookedAgent(events, { steps });
    const { events: seen, result } = await collectEvents(tried.agent.stream('Go.'));
    expect(result?.text).toBe('d');
    expect(seen.filter(({ type }) => type === 'warning')).toMatchObject([{ code: 'hooks/STOPPED_ANYWAY' }]);
  });
});

describe.concurrent('a script that reads the transcript of a call', () => {
  it('blocks an edit of a file that was not read', async () => {
    const events = {
      PreToolUse: [{ match: 'Edit', command: script('read-before-edit.mjs'), transcript: true }],
    };
    const calls = [
      edit('/a.md', 'x', 'y'),
      { name: 'read_file', args: { path: '/a.md' } },
      edit('/a.md', 'x', 'y'),
    ];
    await using tried = await hookedAgent(events, { steps: stepsOf(calls) });
    writeFileSync(join(tried.root, 'a.md'), 'x');
    const result = await tried.agent.run('Go.');
    const denied = result.messages.map((message) => 'denied' in message);
    expect(denied.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(join(tried.root, 'a.md'), 'utf8')).toBe('y');
  });

  it('counts failures', async () => {
    const events = { PostToolUseFailure: [{ command: script('count-failures.sh'), transcript: true }] };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('fail 1'), bash('fail 2')]) });
    const [first, second] = textsOf(await tried.agent.run('Go.'), 'tool');
    expect(first).not.toContain('stop and think');
    expect(second).toContain('This is not the first failure: stop and think.');
  });
});
