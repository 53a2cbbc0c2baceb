import { describe, expect, it } from 'vitest';

import { manifestFaults, parseManifest, pluginManifest, versionAndApi } from './manifest.ts';

/** Options whose JSON has a length. */
function optionsOf(length: number): { readonly a: string } {
  return { a: 'x'.repeat(length - '{"a":""}'.length) };
}

describe('a manifest', () => {
  it('is an object', () => {
    expect(parseManifest('{ "name": "a" }')).toEqual({ name: 'a' });
    for (const text of ['5', 'null', '{']) expect(parseManifest(text)).toBeUndefined();
  });

  it('declares a plugin, its plugin API and an entry', () => {
    const shallot = { plugin: 'a', api: '^1.0.0', entry: { options: { b: 1 } }, more: 1 };
    expect(pluginManifest({ shallot })).toEqual({
      plugin: 'a',
      api: '^1.0.0',
      entry: { options: { b: 1 } },
    });
    for (const other of [undefined, 'a', { plugin: 5, api: 5 }])
      expect(pluginManifest({ shallot: other })).toEqual({});
  });

  it('proposes an entry that a person can read', () => {
    const longest = { options: optionsOf(2000) };
    expect(pluginManifest({ shallot: { entry: longest } })).toEqual({ entry: longest });
  });

  it.each<[string, unknown]>([
    ['that is no object', 'options'],
    ['without options', {}],
    ['with a priority', { options: {}, priority: 99 }],
    ['with a list of options', { options: [] }],
    ['with options that are no object', { options: 5 }],
    ['that is too long to read', { options: optionsOf(2001) }],
  ])('proposes no entry %s', (_, entry) => {
    expect(pluginManifest({ shallot: { plugin: 'a', entry } })).toEqual({ plugin: 'a' });
  });

  it('gives its plugin a version and a plugin API', () => {
    expect(versionAndApi({ version: '1.2.3', shallot: { api: '^1.0.0' } })).toEqual({
      version: '1.2.3',
      api: '^1.0.0',
    });
    expect(versionAndApi({ version: 1 })).toEqual({});
  });
});

describe('the declarations of a plugin', () => {
  it.each<[string, unknown]>([
    ['are absent', undefined],
    ['are empty', {}],
    ['are a name and a range', { plugin: 'a-1', api: '^1.0.0' }],
    ['have a range of 256 characters', { api: '^1.0.0'.padEnd(256) }],
  ])('are right if they %s', (_, shallot) => {
    expect(manifestFaults({ shallot })).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['are a list', [], ['"shallot" is []; write { "plugin": NAME, "api": RANGE }, or remove it']],
    ['are null', null, ['"shallot" is null; write']],
    [
      'have neither a name nor a range',
      { plugin: 'A b', api: 'new' },
      ['"shallot.plugin" is "A b"; write its name', '"shallot.api" is "new"; write a range such as "^1.0.0"'],
    ],
    ['have an empty range', { api: ' ' }, ['"shallot.api" is " "']],
    ['have a number as range', { api: 1 }, ['"shallot.api" is 1']],
    ['have a range of 257 characters', { api: '^1.0.0'.padEnd(257) }, ['"shallot.api" is "^1.0.0']],
  ])('are wrong if they %s', (_, shallot, faults) => {
    expect(manifestFaults({ shallot })).toEqual(
      faults.map((fault) => expect.stringContaining(fault) as string),
    );
  });
});
