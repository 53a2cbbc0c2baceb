import type { JsonObject } from '@shallot/core';

/** A small program with a fault, its tests, and a date format that is still missing. */
export const repository: Readonly<Record<string, string>> = {
  'README.md': '# Spans\n\nParses spans such as `90m`.\n',
  'package.json': JSON.stringify(
    { name: 'spans', type: 'module', scripts: { test: 'node --test' } },
    null,
    2,
  ),
  '.gitignore': 'node_modules\n',
  'src/index.js': "export { parseSpan } from './parse-span.js';\n",
  'src/parse-span.js': [
    'const units = { s: 1, m: 60 };',
    '',
    '/** Returns the seconds of a span. */',
    'export function parseSpan(text) {',
    '  const [, count, unit] = /^(\\d)([sm])$/.exec(text);',
    '  return Number(count) * units[unit];',
    '}',
    '',
  ].join('\n'),
  'test/parse-span.test.js': [
    "import assert from 'node:assert/strict';",
    "import test from 'node:test';",
    "import { parseSpan } from '../src/index.js';",
    "test('minutes', () => assert.equal(parseSpan('9m'), 540));",
    '',
  ].join('\n'),
};

const shell = (command: string): CodingCall => ['shell', { command }];
const read = (path: string): CodingCall => ['read_file', { path }];
const edit = (path: string, before: string, after: string): CodingCall => [
  'edit_file',
  { path, old_string: before, new_string: after },
];

type CodingCall = readonly [name: string, args: JsonObject];

/** The calls of a model that mends the fault, adds hours, and commits. */
export const codingTask: readonly CodingCall[] = [
  shell('git status --short && git log --oneline -5'),
  ['ls', { path: '/' }],
  read('/README.md'),
  read('/package.json'),
  ['glob', { pattern: 'src/**/*.js' }],
  ['grep', { pattern: 'parseSpan\\(', path: '/' }],
  read('/src/parse-span.js'),
  read('/src/index.js'),
  read('/test/parse-span.test.js'),
  shell('npm test 2>&1 | tail -20'),
  shell('grep -rn "units" src test | head -20'),
  edit('/src/parse-span.js', '(\\d)([sm])', '(\\d+)([sm])'),
  edit('/test/parse-span.test.js', "'9m'), 540", "'90m'), 5400"),
  shell('npm test; echo "exit: $?"'),
  shell('git diff src/parse-span.js'),
  read('/src/parse-span.js'),
  edit('/src/parse-span.js', 'm: 60 }', 'm: 60, h: 3600 }'),
  edit('/src/parse-span.js', '[sm]', '[smh]'),
  ['write_file', { path: '/src/format-span.js', content: 'export const formatSpan = (s) => `${s}s`;\n' }],
  edit('/src/index.js', "parse-span.js';", "parse-span.js';\nexport { formatSpan } from './format-span.js';"),
  [
    'write_file',
    {
      path: '/test/hours.test.js',
      content:
        "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { parseSpan } from '../src/index.js';\ntest('hours', () => assert.equal(parseSpan('2h'), 7200));\n",
    },
  ],
  shell('npm test'),
  shell('node --version && which npm'),
  shell("sed -n '1,20p' src/parse-span.js"),
  shell('ls -la src test; wc -l src/*.js'),
  shell('cd src && grep -c export index.js parse-span.js'),
  shell(`node -e "import('./src/index.js').then(({ parseSpan }) => console.log(parseSpan('3h')))"`),
  edit('/README.md', '`90m`', '`90m` and `2h`'),
  edit('/package.json', '"node --test"', '"node --test test"'),
  shell('for f in src/*.js; do echo "$f"; head -3 "$f"; done'),
  edit('/src/index.js', "\nexport { formatSpan } from './format-span.js';", ''),
  ['delete_file', { path: '/src/format-span.js' }],
  shell('git diff HEAD -- README.md package.json'),
  shell('npm pkg set version=1.1.0'),
  ['glob', { pattern: '**/*.test.js' }],
  ['grep', { pattern: 'hours|minutes', path: '/test', output: 'counts' }],
  shell('git status --porcelain | wc -l'),
  shell('git add -A && git commit -q -m "Spans of several digits, and hours"'),
  shell('git log --oneline -3 && git show --stat HEAD'),
  shell('git status'),
];
