import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { Validator, type Schema } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { configJsonSchema } from './config-json-schema.ts';

const root = join(import.meta.dirname, '../../../../..');
const inPackage = 'packages/core/shallot.config.schema.json';
const published = JSON.parse(readFileSync(join(root, inPackage), 'utf8')) as Schema;
const validator = new Validator(published, '7', false);

/** Where each fault of a config is, the innermost one of each branch. */
function faultsOf(config: string): string[] {
  return validator.validate(parse(config)).errors.map(({ instanceLocation }) => instanceLocation);
}

interface Sample {
  readonly name: string;
  readonly text: string;
}

const documents = ['README.md', 'docs/**/*.md', '{packages,examples}/*/README.md'];
const shown = documents
  .flatMap((glob) => globSync(glob, { cwd: root }))
  .flatMap((name): Sample[] =>
    [
      ...readFileSync(join(root, name), 'utf8').matchAll(/^```yaml\n(# shallot\.config\.yaml\n.*?)^```$/gms),
    ].map(([, text = '']) => ({ name, text })),
  );
const examples = globSync('examples/*/shallot.config.yaml', { cwd: root }).map((name) => ({
  name,
  text: readFileSync(join(root, name), 'utf8'),
}));

it('is generated anew by `node scripts/make-config-schema.ts` when the keys of a config change', () => {
  expect(published).toEqual(configJsonSchema());
});

it('finds configs to be tried on', () => {
  expect(shown.length).toBeGreaterThan(15);
  expect(examples.length).toBeGreaterThan(4);
});

it.each([...shown, ...examples])('takes the config of $name', ({ text }) => {
  expect(validator.validate(parse(text) ?? {}).errors).toEqual([]);
});

it.each([...shown, ...examples].filter(({ text }) => text.includes('$schema=')))(
  'is where the config of $name says',
  ({ name, text }) => {
    const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? [];
    const folder = name.startsWith('examples/')
      ? dirname(join(root, name))
      : join(root, 'examples/quickstart');
    // The one with the options of the installed plugins is written by `shallot schema`.
    expect(path === '.shallot/config.schema.json' || existsSync(join(folder, path))).toBe(true);
  },
);

describe('refuses', () => {
  it.each([
    ['modle: ./model.ts', '#/modle'],
    ['plugins: [{ use: memory, opitons: {} }]', '#/plugins/0/opitons'],
    ['plugins: [{ id: notes }]', '#/plugins/0'],
    ['plugins: [{ use: memory, priority: 101 }]', '#/plugins/0/priority'],
    ['plugins: [{ use: memory, priority: { wrapModelCal: 5 } }]', '#/plugins/0/priority/wrapModelCal'],
    ['settings: { temprature: 1 }', '#/settings/temprature'],
    ['settings: { seed: 1.5 }', '#/settings/seed'],
    ['model: { provider: openai, model: m, apikey: { $env: KEY } }', '#/model/apikey'],
    ['name: ""', '#/name'],
    ['log: loud', '#/log'],
    ['tools: ./tools.ts', '#/tools'],
    ['maxSteps: { $env: STEPS, defualt: 5 }', '#/maxSteps'],
    ['maxSteps: { $env: 5 }', '#/maxSteps'],
  ])('%s', (config, place) => {
    expect(faultsOf(config)).toContain(place);
  });
});

it.each([
  'maxSteps: { $env: STEPS, default: 5 }',
  'settings: { headers: { x-club: { $env: CLUB } }, stopSequences: [{ $env: STOP }] }',
  'plugins: [{ use: { $env: PLUGIN }, priority: { default: { $env: PRIORITY } } }]',
  'model: { $env: MODEL, default: ./model.ts }',
  'hookTimeoutMs: .inf',
])('takes %s', (config) => {
  expect(faultsOf(config)).toEqual([]);
});
