import { config, pluginFile, withPlugin, type FaultyProject, type Obedience } from './faulty-project.ts';

const yaml = 'shallot.config.yaml';

const limits = `options: optionsSchema({ limits: option.object({ perDay: option.number().required() }).required(), level: option.oneOf('info', 'debug') })`;
const jsonSchema = `options: { type: 'object', properties: { perDay: { type: 'number' } }, required: ['perDay'], additionalProperties: false }`;

function options(
  fault: string,
  lines: readonly string[],
  at: string,
  fix: string,
  obey: Obedience,
  schema = limits,
): FaultyProject {
  const files = withPlugin(pluginFile('', schema), ['options:', ...lines.map((line) => `  ${line}`)]);
  return { fault, files, code: 'PLUGIN_OPTIONS', plugin: 'p', at: `${yaml}:${at}`, fix, obey };
}

/** Mends the project: its plugin gets all the options that it requires. */
const complete: Obedience = {
  files: withPlugin(pluginFile('', limits), ['options: { limits: { perDay: 3 }, level: info }']),
};
/** Mends the project: its plugin takes no options and gets none. */
const unread: Obedience = { files: withPlugin(pluginFile('')) };

export const faultyOptions: readonly FaultyProject[] = [
  options('a misspelt option', ['limits: { perday: 3 }'], '5:17', 'did you mean "perDay"?', {
    write: 'perDay',
  }),
  options('an option of another type', ['limits: { perDay: many }'], '5:25', 'write a number', {
    write: '3',
  }),
  options(
    'an option that is no choice',
    ['limits: { perDay: 3 }', 'level: loud'],
    '6:14',
    'write "info" or "debug"',
    { write: 'info' },
  ),
  options('an option that is missing', ['level: info'], '5:7', 'it is missing; write', complete),
  options(
    'an unknown option',
    ['limits: { perDay: 3 }', 'colour: red'],
    '6:7',
    'known: limits, level',
    'remove',
  ),
  options(
    'a misspelt option, by JSON Schema',
    ['perday: 3'],
    '5:7',
    'did you mean "perDay"?',
    { write: 'perDay' },
    jsonSchema,
  ),
  options(
    'an option of another type, by JSON Schema',
    ['perDay: many'],
    '5:15',
    'Expected "number"',
    { write: '3' },
    jsonSchema,
  ),
  options('options for a plugin without any', ['perDay: 3'], '5:7', 'takes no options', unread, ''),
  {
    fault: 'options that are a list',
    files: withPlugin(pluginFile('', limits), ['options: [3]']),
    code: 'PLUGIN_OPTIONS',
    plugin: 'p',
    at: `${yaml}:4:14`,
    fix: 'write an object',
    obey: complete,
  },
  {
    fault: 'no options where one is required',
    files: withPlugin(pluginFile('', limits)),
    code: 'PLUGIN_OPTIONS',
    plugin: 'p',
    at: `${yaml}:3:`,
    fix: 'it is missing; write',
    obey: complete,
  },
  options(
    'a schema that throws',
    ['a: 1'],
    '3:10',
    'the options schema of p threw: boom',
    unread,
    "options: { '~standard': { version: 1, vendor: 'v', validate() { throw new Error('boom'); } } }",
  ),
  options(
    'a schema that rejects',
    ['a: 1'],
    '3:10',
    'the options schema of p threw: boom',
    unread,
    "options: { '~standard': { version: 1, vendor: 'v', async validate() { throw new Error('boom'); } } }",
  ),
  {
    fault: 'a wrong option of hitl',
    files: config('plugins:\n  - use: hitl\n    options: { tols: { t: true } }\n'),
    code: 'PLUGIN_OPTIONS',
    plugin: 'hitl',
    at: `${yaml}:4:16`,
    fix: 'did you mean "tools"?',
    obey: {
      files: config('plugins:\n  - use: hitl\n    options: { tools: { "x*": true } }\n'),
    },
  },
];
