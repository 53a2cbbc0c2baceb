import { describe, expect, it } from 'vitest';

import { defineTool, type Tool } from '../../contract/tool.ts';
import type { ChildAgent } from '../../contract/work/child.ts';
import type { Owner } from '../../hooks/owner.ts';
import type { PluginsInRun } from '../plugins-in-run.ts';
import type { RunTerms } from '../run-terms.ts';
import { childTools } from './child-tools.ts';
import { ToolRegistry } from './tool-registry.ts';

const toolOf = (name: string): Tool =>
  defineTool({ name, description: 'Works.', input: { type: 'object' }, execute: () => 'ok' });

const audit = { id: 'audit', name: 'audit' } as Owner;
const [read, write, search] = ['read', 'write', 'read-web'].map(toolOf) as [Tool, Tool, Tool];
const ownWrite = toolOf('write');

/** The tools of a child whose parent was offered three of the agent's own, one of them of a plugin. */
function toolsOf(
  agent: Omit<ChildAgent, 'name'>,
  offered: readonly Tool[] = [read, write, search],
): ToolRegistry {
  const rootTools = new ToolRegistry();
  rootTools.add([read, write]);
  rootTools.add(search, {}, audit);
  rootTools.add([ownWrite, toolOf('secret')], { offered: false }, audit);
  const toolOwner = { id: 'core' } as Owner;
  const parts = { tools: rootTools, rootTools, toolOwner };
  const plugins = { parts, placerOf: () => undefined } as unknown as PluginsInRun;
  return childTools({ parts } as unknown as RunTerms, plugins, { name: 'reader', ...agent }, offered);
}

const namesOf = (agent: Omit<ChildAgent, 'name'>, offered?: readonly Tool[]): string[] =>
  toolsOf(agent, offered).list.map(({ name }) => name);

describe('the tools of a child', () => {
  it.each<[string, readonly string[] | undefined, string[]]>([
    ['are those that its parent was offered', undefined, ['read', 'write', 'read-web']],
    ['are those with a name', ['write'], ['write']],
    ['are those of a pattern', ['read*'], ['read', 'read-web']],
    ['are those of one of several patterns', ['read', 'write'], ['read', 'write']],
    ['are none without a pattern', [], []],
    ['are all but those of a pattern', ['!read*'], ['write']],
    ['are those of a pattern but not of another', ['read*', '!read'], ['read-web']],
    ['are none that do not exist', ['gone'], []],
  ])('%s', (_, tools, expected) => {
    expect(namesOf(tools === undefined ? {} : { tools })).toEqual(expected);
  });

  it('are never any that its parent was not offered, unless they are granted', () => {
    expect(namesOf({ tools: ['*'] }, [read])).toEqual(['read']);
    expect(namesOf({ tools: ['secret'] })).toEqual([]);
    expect(namesOf({ tools: [], grants: ['secret', 'write'] }, [])).toEqual(['secret', 'write']);
  });

  it('are still those of their plugins', () => {
    const tools = toolsOf({ grants: ['secret'] });
    expect(tools.record).toEqual([
      { name: 'read' },
      { name: 'write' },
      { name: 'read-web', plugin: 'audit' },
      { name: 'secret', plugin: 'audit' },
    ]);
  });
});

describe('a grant', () => {
  it.each([
    ['leaves the tool that is offered under its name', 'write', write],
    ['takes its place if it names the plugin', 'audit/write', ownWrite],
  ])('%s', (_, grant, expected) => {
    const tools = toolsOf({ grants: [grant] });
    expect(tools.list).toHaveLength(3);
    expect(tools.list[1]).toBe(expected);
  });

  it.each(['gone', 'other/write', 'audit/read'])(
    'of a tool that the root does not have is refused: %s',
    (grant) => {
      expect(() => toolsOf({ grants: [grant] })).toThrow(
        expect.objectContaining({
          code: 'CHILD_REFUSED',
          message: `The child agent "reader" was granted the tool "${grant}", which the agent at the root of the tree does not have. Correct its definition.`,
        }),
      );
    },
  );
});
