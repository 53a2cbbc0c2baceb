import { advised, type AdvisedProject } from './advised-project.ts';

/**
 * Mistakes that a reader of the guides might make in models, prices and the store. They were found from the guides
 * alone.
 */
export const drawnModels: readonly AdvisedProject[] = [
  advised(
    'a key stands in the config',
    `model:
  provider: openai-compatible
  baseURL: http://localhost:8000/v1
  model: my-model
  apiKey: «sk-abcdefghijklmnopqrstuvwxyz
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'Put it into an environment variable, and write { $env: NAME }.',
      obey: { write: '{ $env: GUIDE_KEY, default: none }' },
      answers: false,
    },
  ),
  advised(
    "a server of one's own has no address",
    `model: «openai-compatible/my-model
`,
    {
      code: 'CONFIG_INVALID',
      fix: "'my-model' }.",
      obey: {
        write: '{ provider: openai-compatible, baseURL: "http://localhost:8000/v1", model: my-model }',
      },
      answers: false,
    },
  ),
  advised(
    'an address has no scheme',
    `model:
  provider: openai-compatible
  baseURL: «localhost:8000/v1
  model: my-model
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write one that starts with http:// or https://.',
      obey: { write: 'http://localhost:8000/v1' },
      answers: false,
    },
  ),
  advised(
    'an address has a user and a password',
    `model:
  provider: openai-compatible
  baseURL: «http://ann:secret@localhost:8000/v1
  model: my-model
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'NAME } }, for example with "Basic …".',
      obey: { write: 'http://localhost:8000/v1' },
      answers: false,
    },
  ),
  advised(
    'a setting is misspelt',
    `settings:
  «temprature: 0.2
`,
    { code: 'CONFIG_INVALID', fix: 'did you mean "temperature"?', obey: { write: 'temperature' } },
  ),
  advised(
    'a tool that is to be called does not exist',
    `tools: [./tools/*.mjs]
settings:
  toolChoice: { tool: «serach }
`,
    {
      code: 'CONFIG_UNUSED',
      status: 1,
      fix: 'Did you mean "search"?',
      obey: { write: 'search' },
      files: {
        'tools/search.mjs': `import { defineTool } from '@shallot/core';
export const search = defineTool({
  name: 'search', description: 'Searches.', input: { type: 'object' }, effect: 'read', execute: () => 'nothing',
});
`,
      },
    },
  ),
  advised(
    'a tool of a provider without the provider, as in the guides',
    `providerTools:
  - «web_search
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write an id such as openai.web_search, or an object with id, args.',
      obey: { write: 'openai.web_search' },
    },
  ),
  advised(
    'a time limit in words, as in the guides',
    `modelIdleMs: «'2 minutes'
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write a positive number of milliseconds, or Infinity.',
      obey: { write: '120000' },
    },
  ),
  advised(
    'a price whose key is misspelt',
    `prices:
  acme/large: { «inputs: 3, output: 15 }
`,
    { code: 'CONFIG_INVALID', fix: 'did you mean "input"?', obey: { write: 'input' } },
  ),
  advised(
    'sessions are kept for a time in words',
    `keep: { completed: «'30 days' }
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write a number with h, d or w, such as 12h, 30d or 2w.',
      obey: { write: '30d' },
    },
  ),
  advised(
    'a store with a misspelt key',
    `store: { use: sqlite, «pth: .shallot/sessions.db }
`,
    { code: 'CONFIG_INVALID', fix: 'did you mean "path"?', obey: { write: 'path' } },
  ),
  advised(
    'a port that does not exist',
    `serve:
  port: «80000
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write a whole number of at least 0 and at most 65535.',
      obey: { write: '8000' },
    },
  ),
];
