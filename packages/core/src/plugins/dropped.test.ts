import { expect, it } from 'vitest';

import { droppedAdvice } from './dropped.ts';

const table = {
  2: [
    { what: 'run.stop()', instead: 'call run.end()' },
    { what: '`before` of a definition', instead: 'write `outside`' },
  ],
  3: [{ what: 'hooks.error', instead: 'catch in wrapModelCall' }],
};

it.each([
  ['^1.0.0', '3.1.0', ['2 has no run.stop(): call run.end()', '2 has no `before`', '3 has no hooks.error']],
  ['^1.0.0', '2.0.0', ['2 has no run.stop()', '2 has no `before`']],
  ['^2.1.0', '3.0.0', ['3 has no hooks.error: catch in wrapModelCall']],
  ['^1.0.0 || ^2.0.0', '3.0.0', ['3 has no hooks.error']],
  ['^3.0.0', '3.0.0', []],
  ['^4.0.0', '3.0.0', []],
  ['>=1.0.0', '3.0.0', []],
])('a plugin for %s is told by plugin API %s what was dropped since', (range, api, expected) => {
  const advice = droppedAdvice(range, table, api);
  const lines = advice.split('\n').slice(1);
  expect(lines).toEqual(expected.map((line) => expect.stringContaining(`plugin API ${line}`) as unknown));
  expect(advice === '').toBe(expected.length === 0);
});
