import { describe, expect, it } from 'vitest';

import { addPluginEntry, pluginEntries, removePluginEntries } from './edit-plugins.ts';

const yaml = 'shallot.config.yaml';
const json = 'shallot.config.json';

/** A config before and after a plugin is added, and where it takes another text back when it is removed again. */
const samples: readonly {
  readonly what: string;
  readonly file?: string;
  readonly before: string;
  readonly after: string;
  readonly line: number;
}[] = [
  {
    what: 'after the last entry, with its comments and what follows as they are',
    before:
      'plugins:\n  - telemetry # first\n  - use: memory\n    options: { a: [1] }\n\n# the store\nstore: memory\n',
    after:
      'plugins:\n  - telemetry # first\n  - use: memory\n    options: { a: [1] }\n  - tickets\n\n# the store\nstore: memory\n',
    line: 5,
  },
  {
    what: 'after an entry that ends with a block of text',
    before: 'plugins:\n- a\n- use: b\n  options:\n    text: |\n      hello\n      there\n\nname: x\n',
    after:
      'plugins:\n- a\n- use: b\n  options:\n    text: |\n      hello\n      there\n- tickets\n\nname: x\n',
    line: 8,
  },
  {
    what: 'with the line breaks of the file',
    before: 'plugins:\r\n  - a\r\nname: x\r\n',
    after: 'plugins:\r\n  - a\r\n  - tickets\r\nname: x\r\n',
    line: 3,
  },
  {
    what: 'to a list in brackets',
    before: 'plugins: [a, b] # both\n',
    after: 'plugins: [a, b, tickets] # both\n',
    line: 1,
  },
  {
    what: 'after an entry with an anchor',
    before: 'plugins:\n  - &x\n    use: a\n  # about b\n  - b\n',
    after: 'plugins:\n  - &x\n    use: a\n  # about b\n  - b\n  - tickets\n',
    line: 6,
  },
  {
    what: 'to JSON, an entry a line',
    file: json,
    before: '{\n  "model": "./m.ts",\n  "plugins": [\n    "a",\n    { "use": "b" }\n  ]\n}\n',
    after: '{\n  "model": "./m.ts",\n  "plugins": [\n    "a",\n    { "use": "b" },\n    "tickets"\n  ]\n}\n',
    line: 6,
  },
  {
    what: 'to the config in a package.json',
    file: 'package.json',
    before: '{\n  "name": "x",\n  "plugins": 5,\n  "shallot": { "plugins": ["a"] }\n}\n',
    after: '{\n  "name": "x",\n  "plugins": 5,\n  "shallot": { "plugins": ["a", "tickets"] }\n}\n',
    line: 4,
  },
];

describe('addPluginEntry adds a plugin', () => {
  it.each(samples)('$what', ({ file = yaml, before, after, line }) => {
    expect(addPluginEntry(before, file, 'tickets')).toEqual({ text: after, line });
  });

  it.each([
    ['to an empty file', yaml, '', 'plugins:\n  - tickets\n'],
    ['to a file without plugins', yaml, 'model: ./m.ts', 'model: ./m.ts\nplugins:\n  - tickets\n'],
    ['to comments alone', yaml, '# nothing\n', '# nothing\nplugins:\n  - tickets\n'],
    ['to a key without a value', yaml, 'plugins:\nname: x\n', 'plugins:\n  - tickets\nname: x\n'],
    ['to an empty list', yaml, 'plugins: []\n', 'plugins: [tickets]\n'],
    [
      'to JSON without plugins',
      json,
      '{\n  "name": "x"\n}\n',
      '{\n  "name": "x",\n  "plugins": ["tickets"]\n}\n',
    ],
    ['to an empty object', json, '{}', '{ "plugins": ["tickets"] }'],
  ])('%s', (_, file, before, after) => {
    expect(addPluginEntry(before, file, 'tickets')?.text).toBe(after);
  });

  const entry = { use: '@acme/tickets', options: { tags: ['a', 'b: c'], deep: { on: true } } };

  it.each([
    [
      'as a block',
      yaml,
      'x:\n  y: 1\nplugins:\n    - a # the first\n',
      `x:\n  y: 1\nplugins:\n    - a # the first\n    - use: "@acme/tickets"\n      options:\n        tags: [a, "b: c"]\n        deep:\n          on: true\n`,
    ],
    [
      'into a list in brackets',
      yaml,
      'plugins: [a]\n',
      `plugins: [a, { use: "@acme/tickets", options: { tags: [ a, "b: c" ], deep: { on: true } } }]\n`,
    ],
    [
      'to a file with other line ends',
      yaml,
      'name: x\r\n',
      `name: x\r\nplugins:\r\n  - use: "@acme/tickets"\r\n    options:\r\n      tags: [a, "b: c"]\r\n      deep:\r\n        on: true\r\n`,
    ],
    [
      'to JSON',
      json,
      '{\n  "plugins": [\n    "a"\n  ]\n}\n',
      '{\n  "plugins": [\n    "a",\n    { "use": "@acme/tickets", "options": { "tags": ["a", "b: c"], "deep": { "on": true } } }\n  ]\n}\n',
    ],
  ])('with options, %s', (_, file, before, after) => {
    expect(addPluginEntry(before, file, entry)?.text).toBe(after);
  });

  it('in quotes if YAML would read it as something else', () => {
    expect(addPluginEntry('plugins: [a]\n', yaml, '@acme/tickets')?.text).toBe(
      'plugins: [a, "@acme/tickets"]\n',
    );
  });

  it.each([
    ['code', 'shallot.config.ts', 'export default {};'],
    ['an alias in place of the list', yaml, 'tools: &list [x]\nplugins: *list\n'],
    ['a text that cannot be parsed', yaml, 'plugins: [a\nname: x\n'],
    ['plugins that are no list', yaml, 'plugins: a\n'],
    ['a key with a question mark', yaml, 'a: 1\n? plugins\n: - tickets\n  - b\n'],
    ['a package.json without a config', 'package.json', '{ "name": "x" }'],
  ])('not to %s', (_, file, text) => {
    expect(addPluginEntry(text, file, 'tickets')).toBeUndefined();
  });
});

describe('removePluginEntries', () => {
  const isTickets = ({ use }: { readonly use: unknown }): boolean => use === 'tickets';

  it.each(samples)('takes back what was added $what', ({ file = yaml, before, after }) => {
    expect(removePluginEntries(after, file, isTickets)?.text).toBe(before);
  });

  it('removes all entries that are meant, and leaves an empty list', () => {
    const text = 'plugins:\n  - use: tickets\n    id: eu\n  - use: tickets\n    id: us\nname: x\n';
    expect(removePluginEntries(text, yaml, isTickets)?.text).toBe('plugins: []\nname: x\n');
    expect(removePluginEntries(text, yaml, ({ id }) => id === 'eu')?.text).toBe(
      'plugins:\n  - use: tickets\n    id: us\nname: x\n',
    );
  });

  it('removes the only one with what the list has of comments', () => {
    const text = 'plugins:\n  # for support\n  - use: tickets\n    priority: 5 # high\nname: x # its name\n';
    expect(removePluginEntries(text, yaml, isTickets)?.text).toBe('plugins: [] # high\nname: x # its name\n');
  });

  it('removes the first of a list in brackets with its comma', () => {
    expect(removePluginEntries('plugins: [tickets, b]\n', yaml, isTickets)?.text).toBe('plugins: [b]\n');
    expect(removePluginEntries('{"plugins":["tickets"]}', json, isTickets)?.text).toBe('{"plugins":[]}');
  });

  it.each([
    ['at the end of a file', 'plugins:\n  - a\n  - tickets', 'plugins:\n  - a\n'],
    ['below its dash', 'plugins:\n  - a\n  - # here\n    tickets\nname: x', 'plugins:\n  - a\nname: x'],
    [
      'with its own comment, and no other',
      'plugins:\n  - tickets # one\n  # about b\n  - b\n',
      'plugins:\n  # about b\n  - b\n',
    ],
    ['of a list with an anchor', 'plugins: &list\n  - a\n  - tickets\n', 'plugins: &list\n  - a\n'],
  ])('removes an entry %s', (_, before, after) => {
    expect(removePluginEntries(before, yaml, isTickets)?.text).toBe(after);
  });

  it('changes nothing where nothing is meant, or another value refers to the entry', () => {
    expect(removePluginEntries('plugins: [a]\n', yaml, isTickets)).toBeUndefined();
    expect(removePluginEntries('? plugins\n: - tickets\n  - b\n', yaml, isTickets)).toBeUndefined();
    const anchored = 'plugins:\n  - &first { use: tickets }\n  - b\nsettings: { provider: *first }\n';
    expect(removePluginEntries(anchored, yaml, isTickets)).toBeUndefined();
  });
});

describe('pluginEntries', () => {
  it.each([
    ['plugins:\n  - a\n  - use: b\n    id: c\n', [{ use: 'a' }, { use: 'b', id: 'c' }]],
    ['name: x\n', []],
    ['', []],
  ])('reads the entries of %j', (text, entries) => {
    expect(pluginEntries(text, yaml)).toEqual(entries);
  });

  it('reads none of code, or of a text that cannot be parsed', () => {
    expect(pluginEntries('export default {};', 'shallot.config.ts')).toBeUndefined();
    expect(pluginEntries('plugins: [', yaml)).toBeUndefined();
  });
});
