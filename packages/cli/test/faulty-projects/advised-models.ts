import { advised, rewritten, type AdvisedProject } from './advised-project.ts';
import { toolFile } from './faulty-project.ts';

const reading = { 't.mjs': toolFile('t', "() => 'x'", "effect: 'read'") };
const code = 'CONFIG_INVALID';

const keys: readonly AdvisedProject[] = [
  advised('a misspelt $env', 'maxSteps: { «$evn: MAX_STEPS, default: 20 }\n', {
    code,
    fix: 'did you mean "$env"?',
    obey: { write: '$env' },
  }),
  advised('a misspelt default', 'maxSteps: { $env: MAX_STEPS, «defualt: 20 }\n', {
    code,
    fix: 'did you mean "default"?',
    obey: { write: 'default' },
  }),
  advised('a variable that has a word for a number', 'maxSteps: «{ $env: MAX_STEPS, default: 20 }\n', {
    files: { '.env': 'MAX_STEPS=many\n' },
    code: 'CONFIG_ENV',
    fix: 'MAX_STEPS',
    obey: { files: { '.env': 'MAX_STEPS=30\n' } },
  }),
  advised('a variable as shells write it', 'name: «${NAME}\n', {
    code,
    fix: '{ $env: NAME }',
    obey: {
      files: { 'shallot.config.yaml': 'model: offline\nname: { $env: NAME }\n', '.env': 'NAME=bees\n' },
    },
  }),
  advised('a number of steps in quotes', 'maxSteps: «"20"\n', {
    code,
    fix: 'write a whole number',
    obey: { write: '20' },
  }),
  advised('a level of the log that is none', 'log: «verbose\n', {
    code,
    fix: 'debug',
    obey: { write: 'debug' },
  }),
  advised('a pattern of secrets that is no list', "redact: { patterns: «'HIVE-[0-9]{6}' }\n", {
    code,
    fix: 'write a list',
    obey: { write: "['HIVE-[0-9]{6}']" },
  }),
  advised('a pattern of secrets that cannot be parsed', "redact: { patterns: [«'HIVE-(['] }\n", {
    code,
    fix: 'regular expression',
    obey: { write: "'HIVE-'" },
  }),
  advised('a place of instructions in another key', 'instructions: { «path: ./i.md }\n', {
    files: { 'i.md': 'Be kind.' },
    code,
    fix: 'known: file',
    obey: { write: 'file' },
  }),
  advised('a time that is too long', 'claimMs: «.inf\n', {
    code,
    fix: '2147483647',
    obey: { write: '60000' },
  }),
];

const models: readonly AdvisedProject[] = [
  advised('a misspelt provider', '«model: antropic/claude-sonnet-5\n'.replace('«model: ', 'model: «'), {
    code,
    fix: 'Did you mean "anthropic"?',
    obey: rewritten('model: offline\n'),
  }),
  advised('a model without its provider', 'model: «claude-sonnet-5\n', {
    code,
    fix: 'anthropic/claude-sonnet-5',
    obey: {
      files: { 'shallot.config.yaml': 'model: anthropic/claude-sonnet-5\n', '.env': 'ANTHROPIC_API_KEY=k\n' },
    },
    answers: false,
  }),
  advised('a colon between provider and model', 'model: «openai:gpt-5\n', {
    code,
    fix: 'openai/gpt-5',
    obey: { files: { 'shallot.config.yaml': 'model: openai/gpt-5\n', '.env': 'OPENAI_API_KEY=k\n' } },
    answers: false,
  }),
  advised('a key that is not set', 'model: «anthropic/claude-sonnet-5\n', {
    code: 'MODEL_AUTH',
    fix: 'apiKey: { $env: ',
    obey: { files: { '.env': 'ANTHROPIC_API_KEY=sk-test\n' } },
    answers: false,
  }),
  advised('a server without an address', 'model: «{ provider: openai-compatible, model: qwen3 }\n', {
    code,
    fix: 'baseURL',
    obey: { write: '{ provider: openai-compatible, model: qwen3, baseURL: http://localhost:8000/v1 }' },
    answers: false,
  }),
  advised(
    'an address of a server without http',
    'model:\n  provider: openai-compatible\n  baseURL: «localhost:8000/v1\n  model: qwen3\n',
    { code, fix: 'http://', obey: { write: 'http://localhost:8000/v1' }, answers: false },
  ),
  advised(
    'a misspelt size of the context',
    'model:\n  provider: openai-compatible\n  baseURL: http://localhost:8000/v1\n  model: qwen3\n  «contextToken: 32768\n',
    { code, fix: 'did you mean "contextTokens"?', obey: { write: 'contextTokens' }, answers: false },
  ),
  advised(
    'a key of a provider that is written out',
    'model:\n  provider: openai-compatible\n  baseURL: http://localhost:8000/v1\n  apiKey: «sk-0123456789abcdef0123\n  model: qwen3\n',
    {
      code,
      fix: '{ $env: ',
      obey: {
        files: {
          'shallot.config.yaml':
            'model:\n  provider: openai-compatible\n  baseURL: http://localhost:8000/v1\n  apiKey: { $env: MY_KEY }\n  model: qwen3\n',
          '.env': 'MY_KEY=sk-0123456789abcdef0123\n',
        },
      },
      answers: false,
    },
  ),
  advised('a model from a variable that is not set', 'model: «{ $env: SHALLOT_MODEL }\n', {
    code: 'CONFIG_ENV',
    fix: 'SHALLOT_MODEL',
    obey: { files: { '.env': 'SHALLOT_MODEL=offline\n' } },
  }),
  advised('a misspelt offline model', 'model: «oflline\n', {
    code,
    fix: 'did you mean "offline"?',
    obey: { write: 'offline' },
  }),
  advised('a misspelt setting', 'settings: { «temprature: 0.2 }\n', {
    code,
    fix: 'did you mean "temperature"?',
    obey: { write: 'temperature' },
  }),
  advised('a setting in quotes', "settings: { maxOutputTokens: «'2000' }\n", {
    code,
    fix: 'whole number',
    obey: { write: '2000' },
  }),
  advised('a price that is one number', 'prices: { acme/large: «3 }\n', {
    code,
    fix: 'an object with input',
    obey: { write: '{ input: 3, output: 15 }' },
  }),
  advised('a misspelt price', 'prices: { acme/large: { input: 3, «ouput: 15 } }\n', {
    code,
    fix: 'did you mean "output"?',
    obey: { write: 'output' },
  }),
  advised('a price below zero', 'prices: { acme/large: { input: «-3, output: 15 } }\n', {
    code,
    fix: '0',
    obey: { write: '3' },
  }),
  advised('a tool of a provider without the provider', 'providerTools: [«web_search]\n', {
    code,
    fix: 'openai.web_search',
    obey: { write: 'openai.web_search' },
  }),
  advised(
    'a choice of a tool that is not there',
    'tools: [./t.mjs]\nsettings: { toolChoice: { tool: «tt } }\n',
    {
      files: reading,
      status: 1,
      code: 'CONFIG_UNUSED',
      fix: 'Did you mean "t"?',
      obey: { write: 't' },
    },
  ),
  advised('a choice of tools that is none', 'tools: [./t.mjs]\nsettings: { toolChoice: «any }\n', {
    files: reading,
    code,
    fix: 'required',
    obey: { write: 'required' },
  }),
];

export const advisedModels: readonly AdvisedProject[] = [...keys, ...models];
