import { describe, expect, it } from 'vitest';

import { definitionFaults, idleFaults, unknownMembers } from './definition-faults.ts';

const names = 'write a list of ids or names of plugins';
const requirements = 'write an object of names and ranges, such as { memory: "^1.0.0" }';

describe('a definition', () => {
  it.each<[string, unknown, string, string]>([
    ['name', undefined, 'nothing', 'use lower-case letters, digits and hyphens'],
    ['name', 'My plugin', '"My plugin"', 'use lower-case letters, digits and hyphens'],
    ['name', '-a', '"-a"', 'use lower-case letters, digits and hyphens'],
    ['version', '1.0', '"1.0"', 'write one such as "1.0.0"'],
    ['version', 1, '1', 'write one such as "1.0.0"'],
    ['version', ['1.0.0'], '["1.0.0"]', 'write one such as "1.0.0"'],
    ['api', 'one', '"one"', 'write a range such as "^1.0.0"'],
    ['api', ' ', '" "', 'write a range such as "^1.0.0"'],
    ['api', 1, '1', 'write a range such as "^1.0.0"'],
    ...['outside', 'inside'].flatMap((key): [string, unknown, string, string][] => [
      [key, 'memory', '"memory"', names],
      [key, [''], '[""]', names],
      [key, ['memory', 1], '["memory",1]', names],
    ]),
    ['requires', 'memory', '"memory"', requirements],
    ['requires', null, 'null', requirements],
    ['requires', ['memory'], '["memory"]', requirements],
    ['requires', [], '[]', requirements],
    ['requires', { memory: 'latest!' }, '{"memory":"latest!"}', requirements],
    ['requires', { Memory: '^1.0.0' }, '{"Memory":"^1.0.0"}', requirements],
    ['conflicts', 'memory', '"memory"', 'write a list of names of plugins'],
    ['conflicts', ['Memory'], '["Memory"]', 'write a list of names of plugins'],
    ['tools', {}, '{}', 'write a list of tools'],
    ['setup', true, 'true', 'write a function'],
    ['beforeModel', 'x', '"x"', 'write a function'],
  ])('is at fault if its %s is %j', (key, value, shown, advice) => {
    expect(definitionFaults({ name: 'a', [key]: value })).toEqual([`its ${key} is ${shown}; ${advice}`]);
  });

  it('is at fault if its options are no schema', () => {
    for (const options of ['x', {}, null])
      expect(definitionFaults({ name: 'a', options })).toEqual([
        expect.stringMatching(/^its options is .*; use a Standard Schema .* or a JSON Schema$/) as string,
      ]);
  });

  it('is without fault with all of its members', () => {
    const complete = {
      name: 'a-1',
      version: '1.0.0-rc.1',
      api: '^1.0.0',
      priority: 'checked elsewhere',
      outside: ['memory', 'Any id'],
      inside: [],
      requires: { memory: '^1.0.0', skills: '*' },
      conflicts: ['summarization'],
      tools: [],
      beforeAgent() {},
      setup() {},
    };
    for (const options of [{ type: 'object' }, { '~standard': {} }])
      expect(definitionFaults({ ...complete, options })).toEqual([]);
    expect(definitionFaults({ name: 'a', version: undefined, api: undefined, tools: undefined })).toEqual([]);
  });

  it('has its faults listed together', () => {
    expect(definitionFaults({ name: 'A', version: 1, tools: ['look', 'find'] })).toEqual([
      'its name is "A"; use lower-case letters, digits and hyphens',
      'its version is 1; write one such as "1.0.0"',
      'its tools[0] is "look", which is not a tool; pass it to defineTool',
      'its tools[1] is "find", which is not a tool; pass it to defineTool',
    ]);
  });
});

it.each([
  ['wrapToolcall', 'did you mean "wrapToolCall"?'],
  ['before', 'did you mean "outside"?'],
  ['after', 'did you mean "inside"?'],
  ['depends', 'did you mean "requires"?'],
  [
    'completely',
    'known: name, version, api, priority, outside, inside, requires, conflicts, options, tools, beforeAgent, beforeModel, wrapModelCall, afterModel, wrapToolCall, afterAgent, setup',
  ],
])('the unknown member %s is reported with its like, or with all known ones', (key, advice) => {
  expect(unknownMembers({ name: 'a', [key]: 1, setup() {} })).toEqual([
    `it has the unknown key "${key}"; ${advice}`,
  ]);
});

it.each<[string, object, readonly string[], readonly string[]]>([
  ['nothing', {}, [], ['it does nothing']],
  ['undefined hooks', { beforeModel: undefined, setup: undefined }, [], ['it does nothing']],
  ['unread options', { options: {} }, [], ['its options are never read']],
  ['unread options and a hook', { options: {}, beforeModel() {} }, [], ['its options are never read']],
  ['a hook', { beforeModel() {} }, [], []],
  ['tools', { tools: [] }, [], []],
  ['a setup', { setup() {} }, [], []],
  ['options and a setup', { options: {}, setup() {} }, [], []],
  ['an unknown member, which may be a hook', {}, ['beforemodel'], []],
])('a definition with %s is of use, or told why it is not', (_, definition, unknown, fault) => {
  expect(idleFaults(definition, unknown).map((each) => each.split('; ', 1)[0])).toEqual(fault);
});
