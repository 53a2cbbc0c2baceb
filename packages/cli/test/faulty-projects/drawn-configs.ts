import { advised, rewritten, type AdvisedProject } from './advised-project.ts';

/** Mistakes that a reader of the guides might make in the config itself. They were found from the guides alone. */
export const drawnConfigs: readonly AdvisedProject[] = [
  advised(
    'a key of the config is misspelt',
    `name: counter
«instrutions: Count words.
`,
    { code: 'CONFIG_INVALID', fix: 'did you mean "instructions"?', obey: { write: 'instructions' } },
  ),
  advised(
    'a variable of the environment is not set',
    `maxSteps: «{ $env: GUIDE_STEPS }
`,
    { code: 'CONFIG_ENV', fix: 'set it, or add a default.', obey: { write: '20' } },
  ),
  advised(
    'the default of a variable is misspelt',
    `maxSteps: { $env: GUIDE_STEPS, «defualt: 20 }
`,
    { code: 'CONFIG_INVALID', fix: 'did you mean "default"?', obey: { write: 'default' } },
  ),
  advised(
    'a plugin is misspelt',
    `plugins: [«memry]
`,
    { code: 'MODULE_NOT_FOUND', plugin: 'memry', fix: 'Did you mean "memory"?', obey: { write: 'memory' } },
  ),
  advised(
    'the key of an entry is misspelt',
    `plugins:
  - use: memory
    «prioritty: 60
`,
    {
      code: 'CONFIG_INVALID',
      plugin: 'memory',
      fix: 'did you mean "priority"?',
      obey: { write: 'priority' },
    },
  ),
  advised(
    'plugins are one name, not a list',
    `plugins: «memory
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write a list, each the name of a plugin, a package or a path, or an ob',
      obey: { write: '[memory]' },
    },
  ),
  advised(
    'a priority is a word',
    `plugins:
  - use: memory
    priority: «high
`,
    {
      code: 'PRIORITY_RANGE',
      plugin: 'memory',
      fix: 'write a number from 0 (innermost) to 100 (outermost).',
      obey: { write: '60' },
    },
  ),
  advised(
    'no file fits the pattern of the tools',
    `tools: [«./tool/*.mjs]
`,
    {
      code: 'MODULE_NOT_FOUND',
      fix: 'Fix the pattern, or remove it.',
      obey: { write: './tools/*.mjs' },
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
    'the file of the model is misspelt',
    `model: «./modle.mjs
`,
    { code: 'MODULE_NOT_FOUND', fix: 'Fix the path, or create the file.', obey: { write: 'offline' } },
  ),
  advised(
    'a file of tools exports none',
    `tools: [«./tools/*.mjs]
`,
    {
      code: 'MODULE_INVALID',
      fix: 'Export the result of defineTool, or a list of results.',
      obey: {
        files: {
          'tools/search.mjs': `import { defineTool } from '@shallot/core';
export const search = defineTool({
  name: 'search', description: 'Searches.', input: { type: 'object' }, effect: 'read', execute: () => 'nothing',
});
`,
        },
      },
      files: {
        'tools/search.mjs': `const search = () => {};
`,
      },
    },
  ),
  advised(
    'an option has a word in place of a number',
    `plugins:
  - use: ./plugins/allowance.mjs
    options: { calls: «many }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'allowance',
      fix: 'write a whole number of at least 0.',
      obey: { write: '2' },
      files: {
        'plugins/allowance.mjs': `import { definePlugin } from '@shallot/core';
import { option, optionsSchema } from '@shallot/core/plugin';
export default definePlugin({
  name: 'allowance',
  options: optionsSchema({ calls: option.integer({ min: 0 }) }),
  setup() {},
});
`,
      },
    },
  ),
  advised(
    'a file of a plugin has no default export',
    `plugins: [«./plugins/timing.mjs]
`,
    {
      code: 'MODULE_INVALID',
      plugin: './plugins/timing.mjs',
      fix: 'Make timing its default export.',
      obey: {
        files: {
          'plugins/timing.mjs': `import { definePlugin } from '@shallot/core';
export default definePlugin({ name: 'timing', setup() {} });
`,
        },
      },
      files: {
        'plugins/timing.mjs': `import { definePlugin } from '@shallot/core';
export const timing = definePlugin({ name: 'timing', setup() {} });
`,
      },
    },
  ),
  advised(
    'a model without its provider, as in the guides',
    `model: «claude-sonnet-5
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write `provider/model`, for example `anthropic/claude-sonnet-5`, or `o',
      obey: { write: 'offline' },
    },
  ),
  advised(
    'the provider of a model is misspelt',
    `model: «antropic/claude-sonnet-5
`,
    { code: 'CONFIG_INVALID', fix: 'Did you mean "anthropic"?', obey: { write: 'offline' } },
  ),
  advised(
    'the file of the instructions is not there',
    `instructions: { file: «./instruction.md }
`,
    {
      code: 'MODULE_NOT_FOUND',
      fix: 'instructions.md?',
      obey: { write: './instructions.md' },
      files: { 'instructions.md': 'You help.' },
    },
  ),
  advised(
    'a tab in the config',
    `plugins:
«	- memory
`,
    {
      code: 'CONFIG_SYNTAX',
      fix: 'use spaces.',
      obey: rewritten(`plugins:
  - memory
`),
    },
  ),
  advised(
    'a key stands twice',
    `name: counter
«name: sums
`,
    { code: 'CONFIG_SYNTAX', fix: 'remove one of them.', obey: 'remove' },
  ),
  advised(
    'a base file of the config is not there',
    `extends: «./base.yaml
`,
    { code: 'MODULE_NOT_FOUND', fix: 'Fix the path, or create the file.', obey: rewritten('') },
  ),
  advised(
    'an order names a plugin that is not listed',
    `plugins:
  - use: memory
    inside: [«redcation]
  - redaction
`,
    {
      code: 'ORDER_TARGET',
      plugin: 'memory',
      status: 1,
      fix: 'Did you mean "redaction"?',
      obey: { write: 'redaction' },
    },
  ),
  advised(
    'an order is one name, not a list',
    `plugins:
  - use: memory
    inside: «redaction
  - redaction
`,
    {
      code: 'CONFIG_INVALID',
      plugin: 'memory',
      fix: 'write a list, each the id or name of a plugin.',
      obey: { write: '[redaction]' },
    },
  ),
  advised(
    'two plugins are each inside the other',
    `plugins:
  - use: «memory
    inside: [redaction]
  - use: redaction
    inside: [memory]
`,
    {
      code: 'ORDER_CYCLE',
      plugin: 'memory',
      fix: 'Remove one of these outside or inside entries.',
      obey: rewritten(`plugins:
  - use: memory
    inside: [redaction]
  - redaction
`),
    },
  ),
  advised(
    'a level of the log that does not exist',
    `log: «verbose
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write "trace", "debug", "info", "warn", "error", "fatal" or "silent".',
      obey: { write: 'debug' },
    },
  ),
];
