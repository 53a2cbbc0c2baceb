import { modelFile, config, type FaultyProject } from './faulty-project.ts';

const yaml = 'shallot.config.yaml';

function raw(file: string, text: string): Readonly<Record<string, string>> {
  return { 'model.mjs': modelFile, [file]: text };
}

const keys: readonly FaultyProject[] = [
  {
    fault: 'a misspelt key',
    files: config('instrucions: Be kind.\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:1`,
    fix: 'did you mean "instructions"?',
  },
  {
    fault: 'an unknown key',
    files: config('memory: on\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:1`,
    fix: 'known: ',
  },
  {
    fault: 'an unknown key in an entry',
    files: config('plugins:\n  - use: ./p.mjs\n    prioriti: 5\n'),
    code: 'CONFIG_INVALID',
    plugin: './p.mjs',
    at: `${yaml}:4:5`,
    fix: 'did you mean "priority"?',
  },
  {
    fault: 'an entry without use',
    files: config('plugins:\n  - priority: 5\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:3:5`,
    fix: 'write the name of a plugin',
  },
  {
    fault: 'text for a number',
    files: config('maxSteps: many\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:11`,
    fix: 'write a whole number',
  },
  {
    fault: 'a negative number',
    files: config('hookTimeoutMs: -5\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:16`,
    fix: 'a positive number',
  },
  {
    fault: 'an unknown choice',
    files: config('toolErrors: reprot\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:13`,
    fix: 'did you mean "report"?',
  },
  {
    fault: 'a text for a list',
    files: config('tools: ./t.mjs\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:8`,
    fix: 'write a list',
  },
  {
    fault: 'a misspelt setting',
    files: config('settings: { temprature: 1 }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:13`,
    fix: 'did you mean "temperature"?',
  },
  {
    fault: 'a path for the instructions',
    files: config('instructions: ./i.md\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:15`,
    fix: 'write { file: ./i.md }',
  },
  {
    fault: 'a priority out of range',
    files: config('plugins:\n  - use: ./p.mjs\n    priority: 101\n'),
    code: 'PRIORITY_RANGE',
    plugin: './p.mjs',
    at: `${yaml}:4:15`,
    fix: 'write a number from 0',
  },
  {
    fault: 'a priority for a hook that is not there',
    files: config('plugins:\n  - use: ./p.mjs\n    priority: { beforeStep: 5 }\n'),
    code: 'OPTION_INVALID',
    plugin: './p.mjs',
    at: `${yaml}:4:15`,
    fix: 'hooks are beforeAgent',
  },
  {
    fault: 'files without ./',
    files: config('files: work\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:8`,
    fix: 'write "./work"',
  },
  {
    fault: 'a key that is written out',
    files: raw(yaml, 'model: { provider: openai, model: m, apiKey: sk-secret-1234 }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:1:46`,
    fix: 'write { $env: NAME }',
  },
  {
    fault: 'a model without its provider',
    files: raw(yaml, 'model: gpt-5\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:1:8`,
    fix: 'write `provider/model`',
  },
  {
    fault: 'a list for the whole config',
    files: raw(yaml, '- model: ./model.mjs\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:1:1`,
    fix: 'write an object',
  },
  {
    fault: 'a pattern that matches nothing',
    files: config('redact: { patterns: ["a*"] }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:22`,
    fix: 'write one that',
  },
];

const environment: readonly FaultyProject[] = [
  {
    fault: 'a variable that is not set',
    files: config('name: { $env: NO_NAME }\n'),
    code: 'CONFIG_ENV',
    at: `${yaml}:2:7`,
    fix: 'set it, or add a default',
  },
  {
    fault: 'a variable that is empty',
    files: config('name: { $env: NO_NAME }\n'),
    env: { NO_NAME: '' },
    code: 'CONFIG_ENV',
    at: `${yaml}:2:7`,
    fix: 'set it, or add a default',
  },
  {
    fault: 'a number without a default',
    files: config('maxSteps: { $env: MAX }\n'),
    env: { MAX: '12' },
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:11`,
    fix: 'default: … } with a number',
  },
  {
    fault: 'a text where the default is a number',
    files: config('maxSteps: { $env: MAX, default: 5 }\n'),
    env: { MAX: 'many' },
    code: 'CONFIG_ENV',
    at: `${yaml}:2:11`,
    fix: 'set it to a number',
  },
  {
    fault: 'a misspelt default',
    files: config('name: { $env: NO_NAME, defualt: a }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:24`,
    fix: 'did you mean "default"?',
  },
  {
    fault: 'a variable without a name',
    files: config('name: { $env: 5 }\n'),
    code: 'CONFIG_ENV',
    at: `${yaml}:2:7`,
    fix: 'write the name of an environment variable',
  },
];

export const faultyKeys: readonly FaultyProject[] = [...keys, ...environment];
