import { describe, expect, it } from 'vitest';

import { defineTool, type Tool } from '../../contract/tool.ts';
import type { Owner } from '../../hooks/owner.ts';
import { readResult } from './read-result.ts';
import { ToolRegistry } from './tool-registry.ts';

const saying = (text: string): unknown => expect.stringContaining(text);

const toolOf = (name: string, execute: Tool['execute'] = () => 'ok'): Tool =>
  defineTool({ name, description: 'Works.', input: { type: 'object' }, execute });

const ownerOf = (id: string, name = id): Owner => ({ id, name }) as Owner;
const audit = ownerOf('audit');

const namesOf = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);
const thrown = (members: object): unknown => expect.objectContaining(members);

describe('two tools of one name', () => {
  const both = (first: Owner | undefined, second: Owner | undefined) => (): void => {
    const tools = new ToolRegistry();
    tools.add(toolOf('work'), {}, first);
    tools.add(toolOf('work'), {}, second);
  };

  it.each<[string, Owner | undefined, Owner | undefined, object]>([
    [
      'of the agent',
      undefined,
      undefined,
      {
        message: 'There are two tools named "work": the agent provides it twice. Rename one, or remove one.',
      },
    ],
    [
      'of the agent and a plugin',
      undefined,
      audit,
      {
        plugin: 'audit',
        message:
          'There are two tools named "work": the agent and audit both provide it. Rename one, or remove one.',
      },
    ],
    [
      'of a plugin',
      audit,
      audit,
      {
        plugin: 'audit',
        message: 'There are two tools named "work": audit provides it twice. Rename one, or remove one.',
      },
    ],
    [
      'of two plugins',
      audit,
      ownerOf('limits'),
      {
        plugin: 'limits',
        message:
          'There are two tools named "work": audit and limits both provide it. Rename one, or remove one.',
      },
    ],
    [
      'of one plugin that is listed twice',
      ownerOf('first', 'audit'),
      ownerOf('second', 'audit'),
      {
        plugin: 'second',
        message:
          'There are two tools named "work": first and second both provide it. Set an option that names the tools of second apart, such as prefix or toolName, or remove one.',
      },
    ],
  ])('%s are an error that says what to do', (_, first, second, members) => {
    expect(both(first, second)).toThrow(thrown({ code: 'TOOL_DUPLICATE', ...members }));
  });

  it('in one list are an error, and none of the list is added', () => {
    const tools = new ToolRegistry();
    expect(() => tools.add([toolOf('a'), toolOf('b'), toolOf('a')], {}, audit)).toThrow(
      thrown({ code: 'TOOL_DUPLICATE', message: saying('audit provides it twice') }),
    );
    expect(tools.all).toEqual([]);
  });

  it('are fine if only one of them is offered, but not twice in one plugin', () => {
    const tools = new ToolRegistry();
    tools.add(toolOf('work'));
    tools.add(toolOf('work'), { offered: false }, audit);
    expect(namesOf(tools.list)).toEqual(['work']);
    expect(tools.all).toHaveLength(2);
    expect(() => tools.add(toolOf('work'), { offered: false }, audit)).toThrow(
      thrown({ code: 'TOOL_DUPLICATE' }),
    );
    expect(() => tools.add(toolOf('work'), {}, ownerOf('limits'))).toThrow(thrown({ plugin: 'limits' }));
  });

  it('of the agent and of its provider are an error, unless the former is not offered', () => {
    const tools = new ToolRegistry(() => {}, [{ id: 'acme.search', name: 'search', args: {} }]);
    expect(() => tools.add(toolOf('search'))).toThrow(
      thrown({
        code: 'TOOL_DUPLICATE',
        message:
          'There are two tools named "search": the agent provides one, and the provider executes the other (acme.search in "providerTools"). Rename the first, or remove one.',
      }),
    );
    expect(() => tools.add(toolOf('search'), {}, audit)).toThrow(thrown({ plugin: 'audit' }));
    tools.add(toolOf('search'), { offered: false });
    expect(tools.list).toEqual([]);
  });
});

it.each<[Owner | undefined, object]>([
  [
    undefined,
    {
      message:
        'the agent brings something that is not a tool: "work". Pass its definition to defineTool, and add what that returns.',
    },
  ],
  [audit, { plugin: 'audit' }],
])('what is not a tool is refused', (owner, members) => {
  const tools = new ToolRegistry();
  expect(() => tools.add('work' as never, {}, owner)).toThrow(thrown({ code: 'TOOL_INVALID', ...members }));
});

it('a tool that is checked only in part is reported once', () => {
  const warned: string[] = [];
  const tools = new ToolRegistry((name, what) => warned.push(`${name}: ${what}`));
  const partly = { ...toolOf('work'), unchecked: ['One is not', 'Two is not'] };
  const remove = tools.add([toolOf('whole'), partly]);
  remove();
  tools.add(partly);
  expect(warned).toEqual([
    'work: The arguments of the tool work are not checked in full. One is not. Two is not.',
  ]);
});

it('a tool that is removed is gone, but not one that has taken its place', () => {
  const tools = new ToolRegistry();
  const remove = tools.add([toolOf('a'), toolOf('b')], {}, audit);
  remove();
  expect(tools.list).toEqual([]);
  tools.add(toolOf('a'), {}, audit);
  remove();
  expect(namesOf(tools.list)).toEqual(['a']);
});

describe('the tool of a request', () => {
  const work = toolOf('work');
  const [offered, hidden] = [toolOf('work'), toolOf('work')];

  it('is the one that reads kept results, whatever it is called', () => {
    const origin = new ToolRegistry().originOf({ ...readResult, name: 'read' }, audit);
    expect(origin).toMatchObject({ tool: readResult, owner: undefined, offered: false });
  });

  it('is that of the plugin that put it there, if the same tool was registered by several', () => {
    const tools = new ToolRegistry();
    tools.add(work, { offered: false }, audit);
    tools.add(work, { offered: false }, ownerOf('limits'));
    const owners = tools.all.map(({ owner }) => owner);
    expect(owners.map((owner) => tools.originOf({ ...work }, owner)?.owner)).toEqual(owners);
    expect(tools.originOf(work, undefined)?.owner).toBe(audit);
  });

  it('is recognized under another name, and told from others with the same check', () => {
    const tools = new ToolRegistry();
    const read = { ...toolOf('read'), validate: work.validate };
    const write = { ...toolOf('write'), validate: work.validate };
    tools.add([read, write]);
    expect(tools.originOf({ ...write, name: 'renamed' }, audit)?.tool).toBe(write);
    const alike = { ...read, name: 'again' };
    tools.add(alike);
    expect(tools.originOf({ ...alike }, undefined)?.tool).toBe(alike);
    expect(tools.originOf({ ...alike, name: 'renamed' }, undefined)?.tool).toBe(read);
  });

  it('that a plugin has changed is the one that it registered under this name', () => {
    const tools = new ToolRegistry();
    tools.add(offered);
    tools.add(hidden, { offered: false }, audit);
    const changed = toolOf('work');
    expect(tools.originOf(changed, audit)?.tool).toBe(hidden);
    expect(tools.originOf(changed, undefined)).toBeUndefined();
    expect(tools.originOf(toolOf('other'), audit)).toBeUndefined();
  });
});

describe('a stored offer', () => {
  it('finds its tool by plugin, and by the name that it was registered under', () => {
    const tools = new ToolRegistry();
    const [own, theirs] = [toolOf('work'), toolOf('work')];
    tools.add(own);
    tools.add(theirs, { offered: false }, audit);
    expect(tools.findOffered({ name: 'work' })?.tool).toBe(own);
    expect(tools.findOffered({ name: 'work', plugin: 'audit' })?.tool).toBe(theirs);
    expect(tools.findOffered({ name: 'renamed', registeredAs: 'work' })?.tool).toBe(own);
    expect(tools.findOffered({ name: 'work', plugin: 'gone' })).toBeUndefined();
  });

  it('of the reader of kept results finds it, also under another name, unless a plugin offered it', () => {
    const tools = new ToolRegistry();
    const { name } = readResult;
    expect(tools.findOffered({ name })?.tool).toBe(readResult);
    expect(tools.findOffered({ name: 'read', registeredAs: name })?.tool).toBe(readResult);
    expect(tools.findOffered({ name, registeredAs: 'gone' })).toBeUndefined();
    expect(tools.findOffered({ name, plugin: 'audit' })).toBeUndefined();
    const own = toolOf(name);
    tools.add(own);
    expect(tools.findOffered({ name })?.tool).toBe(own);
  });
});

describe('the tools that are offered', () => {
  it('are recorded with their plugins, and are the same list until one comes or goes', () => {
    const tools = new ToolRegistry();
    tools.add(toolOf('a'));
    tools.add(toolOf('hidden'), { offered: false });
    const { list } = tools;
    expect(tools.list).toBe(list);
    tools.add(toolOf('b'), {}, audit);
    expect(tools.list).not.toBe(list);
    expect(tools.record).toEqual([{ name: 'a' }, { name: 'b', plugin: 'audit' }]);
  });

  it('include the reader of kept results, unless one of them reads files or has its name', () => {
    const listOf = (...added: readonly Tool[]): string[] => {
      const tools = new ToolRegistry();
      tools.add(added);
      return namesOf(tools.listWithReader);
    };
    const { name } = readResult;
    expect(listOf(toolOf('a'))).toEqual(['a', name]);
    expect(listOf({ ...toolOf('a'), readsFiles: true })).toEqual(['a']);
    expect(listOf(toolOf(name))).toEqual([name]);
  });

  it('can be taken over from another registry', () => {
    const [from, to] = [new ToolRegistry(), new ToolRegistry()];
    from.add(toolOf('a'), {}, audit);
    to.take(from.all);
    expect(to.find('audit', 'a')).toBe(from.find('audit', 'a'));
    expect(namesOf(to.list)).toEqual(['a']);
  });
});
