import { config, modelFile, pluginFile, toolFile, withPlugin, type FaultyProject } from './faulty-project.ts';

const yaml = 'shallot.config.yaml';

function raw(file: string, text: string): Readonly<Record<string, string>> {
  return { 'model.mjs': modelFile, [file]: text };
}

const tapping = pluginFile("hooks.beforeModel.tap('x', () => {});");
const withKey = 'OPENAI_API_KEY=sk-test-1234567890\n';

const keys: readonly FaultyProject[] = [
  {
    fault: 'a misspelt key',
    files: config('instrucions: Be kind.\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:1`,
    fix: 'did you mean "instructions"?',
    obey: { write: 'instructions' },
  },
  {
    fault: 'an unknown key',
    files: config('memory: on\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:1`,
    fix: 'known: ',
    obey: 'remove',
  },
  {
    fault: 'an unknown key in an entry',
    files: config('plugins:\n  - use: ./p.mjs\n    prioriti: 5\n'),
    code: 'CONFIG_INVALID',
    plugin: './p.mjs',
    at: `${yaml}:4:5`,
    fix: 'did you mean "priority"?',
    obey: { files: withPlugin(pluginFile(''), ['priority: 5']) },
  },
  {
    fault: 'an entry without use',
    files: config('plugins:\n  - priority: 5\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:3:5`,
    fix: 'write the name of a plugin',
    obey: { files: withPlugin(pluginFile(''), ['priority: 5']) },
  },
  {
    fault: 'text for a number',
    files: config('maxSteps: many\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:11`,
    fix: 'write a whole number',
    obey: { write: '5' },
  },
  {
    fault: 'a negative number',
    files: config('hookTimeoutMs: -5\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:16`,
    fix: 'a positive number',
    obey: { write: '5000' },
  },
  {
    fault: 'an unknown choice',
    files: config('toolErrors: reprot\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:13`,
    fix: 'did you mean "report"?',
    obey: { write: 'report' },
  },
  {
    fault: 'a text for a list',
    files: config('tools: ./t.mjs\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:8`,
    fix: 'write a list',
    obey: { files: { ...config('tools: [./t.mjs]\n'), 't.mjs': toolFile('t') } },
  },
  {
    fault: 'a misspelt setting',
    files: config('settings: { temprature: 1 }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:13`,
    fix: 'did you mean "temperature"?',
    obey: { write: 'temperature' },
  },
  {
    fault: 'a path for the instructions',
    files: config('instructions: ./i.md\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:15`,
    fix: 'write { file: ./i.md }',
    obey: { files: { ...config('instructions: { file: ./i.md }\n'), 'i.md': 'Be kind.' } },
  },
  {
    fault: 'a priority out of range',
    files: config('plugins:\n  - use: ./p.mjs\n    priority: 101\n'),
    code: 'PRIORITY_RANGE',
    plugin: './p.mjs',
    at: `${yaml}:4:15`,
    fix: 'write a number from 0',
    obey: { files: withPlugin(tapping, ['priority: 100']) },
  },
  {
    fault: 'a priority for a hook that is not there',
    files: config('plugins:\n  - use: ./p.mjs\n    priority: { beforeStep: 5 }\n'),
    code: 'OPTION_INVALID',
    plugin: './p.mjs',
    at: `${yaml}:4:15`,
    fix: 'hooks are beforeAgent',
    obey: { files: withPlugin(tapping, ['priority: { beforeModel: 5 }']) },
  },
  {
    fault: 'files without ./',
    files: config('files: work\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:8`,
    fix: 'write "./work"',
    obey: { files: { ...config('files: ./work\n'), 'work/a.md': '' } },
  },
  {
    fault: 'a key that is written out',
    files: raw(yaml, 'model: { provider: openai, model: m, apiKey: sk-secret-1234 }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:1:46`,
    fix: 'write { $env: NAME }',
    obey: {
      files: {
        [yaml]: 'model: { provider: openai, model: m, apiKey: { $env: OPENAI_API_KEY } }\n',
        '.env': withKey,
      },
    },
    answers: false,
  },
  {
    fault: 'a model without its provider',
    files: raw(yaml, 'model: gpt-5\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:1:8`,
    fix: 'write `provider/model`',
    obey: { write: 'offline' },
  },
  {
    fault: 'a list for the whole config',
    files: raw(yaml, '- model: ./model.mjs\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:1:1`,
    fix: 'write an object',
    obey: { files: config('') },
  },
  {
    fault: 'a pattern that matches nothing',
    files: config('redact: { patterns: ["a*"] }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:22`,
    fix: 'write one that',
    obey: { files: config('redact: { patterns: ["a+"] }\n') },
  },
];

const environment: readonly FaultyProject[] = [
  {
    fault: 'a variable that is not set',
    files: config('name: { $env: NO_NAME }\n'),
    code: 'CONFIG_ENV',
    at: `${yaml}:2:7`,
    fix: 'set it, or add a default',
    obey: { write: '{ $env: NO_NAME, default: a }' },
  },
  {
    fault: 'a variable that is empty',
    files: config('name: { $env: NO_NAME }\n'),
    env: { NO_NAME: '' },
    code: 'CONFIG_ENV',
    at: `${yaml}:2:7`,
    fix: 'set it, or add a default',
    obey: { write: '{ $env: NO_NAME, default: a }' },
  },
  {
    fault: 'a number without a default',
    files: config('maxSteps: { $env: MAX }\n'),
    env: { MAX: '12' },
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:11`,
    fix: 'default: … } with a number',
    obey: { write: '{ $env: MAX, default: 5 }' },
  },
  {
    fault: 'a text where the default is a number',
    files: config('maxSteps: { $env: MAX, default: 5 }\n'),
    env: { MAX: 'many' },
    code: 'CONFIG_ENV',
    at: `${yaml}:2:11`,
    fix: 'set it to a number',
    obey: { files: { '.env': 'MAX=12\n' } },
  },
  {
    fault: 'a misspelt default',
    files: config('name: { $env: NO_NAME, defualt: a }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:24`,
    fix: 'did you mean "default"?',
    obey: { write: 'default' },
  },
  {
    fault: 'a variable without a name',
    files: config('name: { $env: 5 }\n'),
    code: 'CONFIG_ENV',
    at: `${yaml}:2:7`,
    fix: 'write the name of an environment variable',
    obey: { write: '{ $env: NO_NAME, default: a }' },
  },
];

export const faultyKeys: readonly FaultyProject[] = [...keys, ...environment];
