import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject, modelModule, type TestProject } from '../../../test/test-project.ts';
import { loadAgent } from '../load-agent.ts';

/** The same options by every schema library: `limits: { perDay: number }` and `level: 'info' | 'debug'`. */
const schemas = {
  zod: `import { z } from 'zod';
const options = z.strictObject({ limits: z.strictObject({ perDay: z.number() }), level: z.enum(['info', 'debug']).optional() });`,
  'zod, which drops keys': `import { z } from 'zod';
const options = z.object({ limits: z.object({ perDay: z.number() }), level: z.enum(['info', 'debug']).optional() });`,
  arktype: `import { type } from 'arktype';
const options = type({ '+': 'reject', limits: { '+': 'reject', perDay: 'number' }, 'level?': "'info' | 'debug'" });`,
  valibot: `import * as v from 'valibot';
const options = v.strictObject({ limits: v.strictObject({ perDay: v.number() }), level: v.optional(v.picklist(['info', 'debug'])) });`,
  // As `toStandardJsonSchema` of @valibot/to-json-schema makes it.
  'valibot with JSON Schema': `import * as v from 'valibot';
const checked = v.strictObject({ limits: v.strictObject({ perDay: v.number() }), level: v.optional(v.picklist(['info', 'debug'])) });
const limits = { type: 'object', properties: { perDay: { type: 'number' } }, required: ['perDay'], additionalProperties: false };
const input = () => ({ type: 'object', properties: { limits, level: { enum: ['info', 'debug'] } }, additionalProperties: false });
const options = { '~standard': { ...checked['~standard'], jsonSchema: { input, output: input } } };`,
  'a JSON Schema': `const limits = { type: 'object', properties: { perDay: { type: 'number' } }, required: ['perDay'], additionalProperties: false };
const options = { type: 'object', properties: { limits, level: { enum: ['info', 'debug'] } }, required: ['limits'], additionalProperties: false };`,
  optionsSchema: `import { option, optionsSchema } from '@shallot/core/plugin';
const options = optionsSchema({ limits: option.object({ perDay: option.number().required() }).required(), level: option.oneOf('info', 'debug') });`,
};

function projectWith(schema: keyof typeof schemas, files: Readonly<Record<string, string>>): TestProject {
  const project = makeProject({
    'model.mjs': modelModule,
    'p.mjs': `${schemas[schema]}
import { definePlugin } from '@shallot/core';
export default definePlugin({ name: 'p', version: '1.0.0', api: '^1.0.0', options, setup() {} });`,
    ...files,
  });
  const core = join(import.meta.dirname, '..', '..', '..');
  const linked = ['zod', 'arktype', 'valibot'];
  mkdirSync(project.path('node_modules/@shallot'), { recursive: true });
  for (const name of linked) {
    symlinkSync(join(core, 'node_modules', name), project.path(`node_modules/${name}`));
  }
  symlinkSync(core, project.path('node_modules/@shallot/core'));
  return project;
}

const yaml = `model: ./model.mjs
plugins:
  - use: ./p.mjs
    options:
      limits:
        perday: 3
      level: loud
`;
const json = JSON.stringify(
  { model: './model.mjs', plugins: [{ use: './p.mjs', options: { limits: { perday: 3 }, level: 'loud' } }] },
  undefined,
  2,
);

describe.each(Object.keys(schemas) as (keyof typeof schemas)[])('options that %s refuses', (schema) => {
  it.each([
    ['shallot.config.yaml', yaml],
    ['shallot.config.json', json],
  ])('have the places that they have in %s', async (file, text) => {
    const project = projectWith(schema, { [file]: text });
    const errors = brief(project, await errorOf(loadAgent({ cwd: project.directory })));
    expect(errors).toMatchSnapshot();
    expect(errors.join('\n')).toMatch(file.endsWith('json') ? /json:8:11.*perday/ : /yaml:6:9.*perday/);
    expect(errors.join('\n')).toContain(file.endsWith('json') ? 'json:10:18' : 'yaml:7:14');
    // Without JSON Schema nobody knows which keys there are.
    const said = schema === 'valibot' ? 'there is no such option' : 'did you mean "perDay"?';
    expect(errors.join('\n')).toContain(said);
  });
});

describe('the place of an option', () => {
  it('is that of the file that has it', async () => {
    const project = projectWith('zod', {
      'base.yaml': 'plugins:\n  - use: ./p.mjs\n    options: { limits: { perDay: many } }\n',
      'shallot.config.yaml':
        'extends: ./base.yaml\nmodel: ./model.mjs\nplugins:\n  - use: ./p.mjs\n    priority: 10\n',
    });
    const [error] = brief(project, await errorOf(loadAgent({ cwd: project.directory })));
    expect(error).toMatch(
      /^PLUGIN_OPTIONS p base\.yaml:3:34 The options of p are not valid: limits\.perDay: /,
    );
  });

  it('is that of the entry when there are none', async () => {
    const project = projectWith('zod', { 'shallot.config.yaml': 'model: ./model.mjs\nplugins: [./p.mjs]\n' });
    const [error] = brief(project, await errorOf(loadAgent({ cwd: project.directory })));
    expect(error).toContain('PLUGIN_OPTIONS p shallot.config.yaml:2:11 ');
  });

  it('is found in a config that is code, too', async () => {
    const project = projectWith('zod', {
      'shallot.config.mjs': `export default { model: './model.mjs', plugins: [
  { use: './p.mjs',
    options: { limits: { perday: 3 } } }] };\n`,
    });
    const [error] = brief(project, await errorOf(loadAgent({ cwd: project.directory })));
    expect(error).toContain('PLUGIN_OPTIONS p shallot.config.mjs:3:26 ');
  });
});

describe('a schema that fails itself', () => {
  it.each([
    ['throws', '() => { throw new Error("boom"); }'],
    ['rejects', 'async () => { throw new Error("boom"); }'],
  ])('is named with plugin and place when it %s', async (_, validate) => {
    const project = makeProject({
      'model.mjs': modelModule,
      'p.mjs': `
const definition = { name: 'p', version: '1.0.0', api: '^1.0.0', setup() {},
  options: { '~standard': { version: 1, vendor: 'mine', validate: ${validate} } } };
export default Object.assign((options) => ({ [Symbol.for('shallot.plugin')]: true, definition, options }), { definition });`,
      'shallot.config.yaml': 'model: ./model.mjs\nplugins:\n  - use: ./p.mjs\n    options: { a: 1 }\n',
    });
    expect(brief(project, await errorOf(loadAgent({ cwd: project.directory })))).toEqual([
      'PLUGIN_OPTIONS p shallot.config.yaml:3:10 the options schema of p threw: boom',
    ]);
  });
});
