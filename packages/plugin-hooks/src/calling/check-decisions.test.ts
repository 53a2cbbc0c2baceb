import type { JsonObject } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import type { Hook } from '../hook.ts';
import { checkDecisions } from './check-decisions.ts';

const outcomeOf = (event: Hook['event'], output: JsonObject) =>
  checkDecisions(event, { is: 'said', output, text: '' });

describe.each(['Stop', 'SubagentStop', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit'] as const)(
  'a hook of %s',
  (event) => {
    it.each<readonly [JsonObject, string]>([
      [{ decision: 'Block' }, 'it decided "Block", which the format does not know'],
      [{ decision: 'deny' }, 'it decided "deny", which the format does not know'],
      [{ decision: true }, 'it decided true, which the format does not know'],
      [{ continue: 'false' }, 'its member "continue" is "false", neither true nor false'],
      [{ continue: 0 }, 'its member "continue" is 0, neither true nor false'],
      [{ hookSpecificOutput: 'more' }, 'its member "hookSpecificOutput" is "more", not an object'],
    ])('fails with %j', (output, reason) => {
      expect(outcomeOf(event, output)).toEqual({ is: 'failed', reason });
    });

    it.each<JsonObject>([
      {},
      { decision: 'block', reason: 'No.' },
      { decision: 'approve' },
      { decision: null, continue: null, hookSpecificOutput: null },
      { continue: true },
      { continue: false, decision: 'Block' },
      { decision: 'block', continue: 'no' },
    ])('may say %j', (output) => {
      expect(outcomeOf(event, output)).toEqual({ is: 'said', output, text: '' });
    });
  },
);

describe('a hook of PreToolUse', () => {
  it.each<readonly [JsonObject, string]>([
    [{ hookSpecificOutput: { permissionDecision: 'Deny' } }, 'it decided "Deny"'],
    [{ decision: 'Block' }, 'it decided "Block"'],
    [{ continue: 'no' }, 'its member "continue" is "no"'],
    [{ hookSpecificOutput: { updatedInput: '{"command":"ls"}' } }, 'its member "updatedInput" is'],
  ])('fails with %j', (output, reason) => {
    expect(outcomeOf('PreToolUse', output)).toEqual({
      is: 'failed',
      reason: expect.stringContaining(reason) as string,
    });
  });

  it.each<JsonObject>([
    { decision: 'approve' },
    { decision: 'allow' },
    { hookSpecificOutput: { permissionDecision: 'defer', updatedInput: { command: 'ls' } } },
    { hookSpecificOutput: { permissionDecision: null, updatedInput: null } },
    { hookSpecificOutput: { permissionDecision: 'deny' }, continue: 'no' },
    { hookSpecificOutput: { permissionDecision: 'ask' }, continue: 'no' },
    { hookSpecificOutput: { permissionDecision: 'Deny' }, decision: 'block' },
  ])('may say %j', (output) => {
    expect(outcomeOf('PreToolUse', output)).toEqual({ is: 'said', output, text: '' });
  });
});

it('a failure and a block stay as they are', () => {
  for (const is of ['failed', 'blocked'] as const)
    expect(checkDecisions('Stop', { is, reason: 'x' })).toEqual({ is, reason: 'x' });
});
