import { expect, it } from 'vitest';

import { manifestConfig, tryJson } from './manifest-config.ts';

it.each<[string, string, unknown]>([
  ['a manifest without one', '{"name":"a"}', undefined],
  ['a manifest with one', '{"shallot":{"model":"a/b"}}', { model: 'a/b' }],
  ['a manifest with an empty one', '{"shallot":{}}', {}],
  ['the path of one', '{"shallot":"./agent.yaml"}', './agent.yaml'],
  ['the description of a plugin', '{"shallot":{"plugin":"./index.js"}}', undefined],
  ['the API of a plugin', '{"shallot":{"api":"^1.0.0"}}', undefined],
  ['a dependency of that name', '{"dependencies":{"shallot":"^1.0.0"}}', undefined],
  ['a broken manifest that may have one', '{"shallot": {"model":}', {}],
  ['a broken manifest that may have a list', '{"shallot" : [', {}],
  ['a broken manifest with a dependency', '{"dependencies":{"shallot":"^1.0.0"', undefined],
  ['a broken manifest without one', '{"name":', undefined],
  ['what is no object', '["shallot"]', undefined],
  ['null', '/* "shallot": { */ null', {}],
  ['a string', '"shallot"', undefined],
  ['a string that looks like one', JSON.stringify('"shallot": {'), undefined],
])('the config in %s', (_, text, config) => {
  expect(manifestConfig(text)).toEqual(config);
});

it('a text that is no JSON has no value', () => {
  expect([tryJson('{"a":1}'), tryJson('null'), tryJson('{')]).toEqual([{ a: 1 }, null, undefined]);
});
