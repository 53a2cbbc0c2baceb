import { createAgent, definePlugin } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { CallMatcher } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import subagents from './index.ts';

/** The matchers of an agent that may delegate to `reviewer` and `Writer`. */
async function matchersOf(toolName?: string): Promise<readonly CallMatcher[]> {
  const found: CallMatcher[] = [];
  const looking = definePlugin({
    name: 'looking',
    setup: ({ onReady }) => onReady(({ matchers }) => void found.push(...matchers())),
  });
  const agents = ['reviewer', 'Writer'].map((name) => ({ name, description: name }));
  const agent = await createAgent({
    model: scriptedModel([]),
    plugins: [subagents({ agents, ...(toolName === undefined ? {} : { toolName }) }), looking()],
    log: 'silent',
  });
  await agent.close();
  return found;
}

describe('a rule about tasks', () => {
  it.each<readonly [string, string, boolean, boolean]>([
    // pattern, agent, as a rule that allows, as one that denies
    ['reviewer', 'reviewer', true, true],
    ['Reviewer', 'reviewer', false, true],
    ['re*', 'reviewer', true, true],
    ['writer', 'Writer', false, true],
    ['reviewer', 'Writer', false, false],
    ['*', 'Writer', true, true],
  ])('%s for a task of %s: allows %s, denies %s', async (pattern, agent, allows, denies) => {
    const [matcher] = await matchersOf();
    const call = { name: 'task', input: { agent, prompt: 'Go' } };
    const [touch] = (await matcher?.touches(call, { files: memoryFiles() })) ?? [];
    expect(touch).toMatchObject({ subject: 'task', what: agent, narrowest: agent });
    expect(touch?.covers(pattern, 'allow')).toBe(allows);
    expect(touch?.covers(pattern, 'deny')).toBe(denies);
  });

  it('cannot be told for an agent that does not exist, and advises against a pattern that fits none', async () => {
    const [matcher] = await matchersOf();
    const call = { name: 'task', input: { agent: 'other' } };
    expect(await matcher?.touches(call, { files: memoryFiles() })).toBeUndefined();
    expect(matcher?.advise('revewer')).toBe('there is no such agent; write one of reviewer, Writer');
    expect(matcher?.advise('rev*')).toBeUndefined();
  });

  it('keeps its word where the tool has another name', async () => {
    const [matcher] = await matchersOf('delegate');
    expect(matcher?.tools()).toEqual(['delegate']);
    expect(matcher?.subjects).toEqual(['task']);
  });
});
