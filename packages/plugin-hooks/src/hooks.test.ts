import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { testPlugin } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { bash, hookedAgent, loggedIn, script, stepsOf } from '../test/hooked-agent.ts';
import hooks from './index.ts';

await testPlugin(hooks, {
  options: { events: { PreToolUse: [{ command: 'exit 0' }] } },
  secondOptions: { events: { Stop: [{ command: 'exit 0' }] } },
  manifest: new URL('../package.json', import.meta.url),
});

describe('the plugin', () => {
  it('shows each hook as a layer, and those that fail open', async () => {
    const events = {
      PreToolUse: [
        { match: 'Bash', command: 'a.sh' },
        { command: 'a.sh', onFailure: 'stop' as const },
      ],
      Stop: [{ url: 'http://127.0.0.1:1/stop' }],
    };
    await using tried = await hookedAgent(events);
    const { wrapToolCall, afterModel } = tried.agent.layers();
    const names = [...wrapToolCall, ...afterModel]
      .filter(({ plugin }) => plugin === 'hooks')
      .map(({ name }) => name);
    expect(names).toEqual(['PreToolUse a.sh', 'PreToolUse a.sh (2)', 'Stop http://127.0.0.1:1/stop']);
    const info = tried.agent.plugins.find(({ id }) => id === 'hooks');
    expect(info?.status).toContain('PreToolUse a.sh; for Bash; on failure: pass');
    expect(info?.notes).toEqual([expect.stringContaining('The hook PreToolUse a.sh fails open')]);
  });

  it('writes a transcript only for hooks that ask for it, and removes it', async () => {
    const events = {
      PreToolUse: [
        { command: script('log-everything.sh'), transcript: true },
        { command: script('log-everything.sh') },
      ],
    };
    await using tried = await hookedAgent(events, { steps: stepsOf([bash('ls')]) });
    await tried.agent.run('Go.');
    const [asked, other] = loggedIn(tried.root).map(({ transcript_path: path }) =>
      typeof path === 'string' ? path : undefined,
    );
    expect([asked?.endsWith('.jsonl'), existsSync(asked ?? '')]).toEqual([true, false]);
    expect(other).toBe('');
  });

  it('refuses options that say too much or too little', async () => {
    const odd = {
      PreToolUse: [{ match: 'a b', command: 'a' }],
      PostToolUse: [{ command: 'a', url: 'http://x/' }],
      UserPromptSubmit: [{ command: 'a', onFailure: 'ask' as const }],
      Stop: [{}],
      SessionStart: [{ url: 'http://x/', headers: { authorization: 'hush\nhush' } }],
    };
    await expect(hookedAgent(odd)).rejects.toThrow(
      /PreToolUse\.0\.match[^]*PostToolUse\.0.*both or neither[^]*UserPromptSubmit\.0\.onFailure[^]*Stop\.0[^]*SessionStart\.0\.headers\.authorization: it cannot be sent: its value/,
    );
  });

  it('passes no secrets to scripts unless they are named', async () => {
    process.env['HOOK_TEST_TOKEN'] = 'secret';
    const events = { PreToolUse: [{ command: 'env >> seen; exit 0' }] };
    const steps = stepsOf([bash('ls')]);
    await using closed = await hookedAgent(events, { steps });
    await closed.agent.run('Go.');
    await using open = await hookedAgent(events, { steps, hooks: { env: ['HOOK_TEST_*'] } });
    await open.agent.run('Go.');
    delete process.env['HOOK_TEST_TOKEN'];
    expect(readFileSync(join(closed.root, 'seen'), 'utf8')).not.toContain('HOOK_TEST_TOKEN');
    expect(readFileSync(join(open.root, 'seen'), 'utf8')).toContain('HOOK_TEST_TOKEN=secret');
  });
});
