import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const config = `model: offline
plugins:
  - use: hooks
    options:
      events:
        PreToolUse:
          - command: "if grep -q 'rm -rf'; then echo 'not that' >&2; exit 2; fi"
          - command: ./gone.sh
            onFailure: stop
        Stop:
          - command: "true"
`;

describe('shallot hooks test', () => {
  it('passes a sample to the hooks of an event, and fails if one of them did', async () => {
    const project = makeProject({ 'shallot.config.yaml': config });
    const { status, stdout } = await project.here(['hooks', 'test', 'PreToolUse', '--sample']);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^deny {2}PreToolUse if grep.*: not that\nfail {2}PreToolUse \.\/gone\.sh: .*127.*onFailure: stop/,
    );
    expect(await project.here(['hooks', 'test', 'Stop', '--sample'])).toMatchObject({
      status: 0,
      stdout: 'pass  Stop true\n',
    });
  });

  it('calls the hooks whose match is about the tool, by its name here or in the format', async () => {
    const matches = ['delete_file', 'read_*', 'edit(/src/**)', 'Write|Read', 'mcp__github', 'github_*'];
    const hooks = matches.map((match) => `          - { match: "${match}", command: "exit 2" }\n`).join('');
    const project = makeProject({
      'shallot.config.yaml': `model: offline\nplugins:\n  - use: hooks\n    options:\n      events:\n        PreToolUse:\n${hooks}`,
    });
    const verdicts = async (tool: string): Promise<readonly (string | undefined)[]> => {
      const stdin = JSON.stringify({ tool_name: tool, tool_input: {} });
      const { stdout } = await project.here(['hooks', 'test', 'PreToolUse'], { stdin });
      return stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]);
    };
    expect(await verdicts('Read')).toEqual(['skip', 'deny', 'skip', 'deny', 'skip', 'skip']);
    expect(await verdicts('MultiEdit')).toEqual(['skip', 'skip', 'deny', 'skip', 'skip', 'skip']);
    expect(await verdicts('mcp__github__get')).toEqual(['skip', 'skip', 'skip', 'skip', 'deny', 'deny']);
  });

  it.each([
    [['PreTool', '--sample'], 'There is no event "PreTool"'],
    [['PreCompact', '--sample'], 'has no hook of PreCompact'],
  ])('says what it cannot try: %j', async (args, why) => {
    const project = makeProject({ 'shallot.config.yaml': config });
    const { status, stderr } = await project.here(['hooks', 'test', ...args]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
  });
});
