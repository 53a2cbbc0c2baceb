import { schemaFile } from '../project/schema-file.ts';

/** What `shallot init` was told. */
export interface InitChoices {
  readonly language: ConfigLanguage;
  /** `provider/model`; undefined for the offline model alone. */
  readonly model: string | undefined;
  /** The environment variable of the provider's key. */
  readonly key: string | undefined;
  readonly plugins: readonly string[];
}

export const configLanguages = ['yaml', 'json', 'ts'] as const;

export type ConfigLanguage = (typeof configLanguages)[number];

/** The files of a first agent, by path: a config, a model that needs no key, a tool, and what git is to ignore. */
export function starterFiles(choices: InitChoices): Readonly<Record<string, string>> {
  return {
    [`shallot.config.${choices.language}`]: configText(choices),
    'model.ts': modelText(choices),
    'tools/word-count.ts': toolText,
    '.gitignore': ignoredFiles.map((line) => `${line}\n`).join(''),
  };
}

/** What git is not to keep: packages, sessions and traces, keys. */
export const ignoredFiles = ['node_modules/', '.shallot/', '.env'] as const;

const instructions = 'You are a helpful assistant. Count words with the tool word_count.';

function configText({ language, plugins }: InitChoices): string {
  switch (language) {
    case 'yaml':
      return [
        `# yaml-language-server: $schema=${schemaFile}`,
        'model: ./model.ts',
        `instructions: ${instructions}`,
        'tools: [./tools/*.ts]',
        plugins.length === 0 ? 'plugins: []' : 'plugins:',
        ...plugins.map((plugin) => `  - ${plugin.startsWith('@') ? JSON.stringify(plugin) : plugin}`),
        '',
      ].join('\n');
    case 'json': {
      const config = {
        $schema: `./${schemaFile}`,
        model: './model.ts',
        instructions,
        tools: ['./tools/*.ts'],
        plugins,
      };
      return `${JSON.stringify(config, null, 2)}\n`;
    }
    case 'ts':
      return `import { defineConfig } from '@shallot/core/config';

export default defineConfig({
  model: './model.ts',
  instructions: '${instructions}',
  tools: ['./tools/*.ts'],
  plugins: [${plugins.map((plugin) => `'${plugin}'`).join(', ')}],
});
`;
  }
}

/** Without a key, and without a provider, the offline model answers. */
function modelText({ model, key }: InitChoices): string {
  if (model === undefined) return offlineModel('export default offline;');
  const id = JSON.stringify(model).slice(1, -1);
  const condition = key === undefined ? 'process.env.SHALLOT_OFFLINE' : `!process.env.${key}`;
  const when = key === undefined ? 'with SHALLOT_OFFLINE=1' : `without ${key}`;
  return offlineModel(`/** ${id}; ${when} the offline model, which needs no network. */
export default async function model(): Promise<ChatModel> {
  if (${condition}) return offline;
  const { resolveModel } = await import('@shallot/model-ai-sdk');
  return resolveModel('${id}', { from: import.meta.dirname, env: process.env });
}`);
}

function offlineModel(exported: string): string {
  return `import { textOf } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';

/** A model for trying things out: it calls the tool word_count, and answers with what the tool returns. */
const offline: ChatModel = {
  id: 'offline/words',
  async generate({ messages, tools = [] }) {
    const last = messages.at(-1);
    const text = last === undefined ? '' : textOf(last);
    if (last?.role === 'tool') return answer(\`Your message has \${text} words. (This is the offline model.)\`);
    if (!tools.some(({ name }) => name === 'word_count')) return answer('This is the offline model.');
    return {
      message: {
        role: 'assistant',
        content: [{ type: 'tool-call', id: 'count', name: 'word_count', input: { text } }],
      },
      finish: 'tool-calls',
    };
  },
};

${exported}

function answer(text: string): ModelResponse {
  return { message: { role: 'assistant', content: [{ type: 'text', text }] }, finish: 'stop' };
}
`;
}

const toolText = `import { defineTool } from '@shallot/core';

export const wordCount = defineTool({
  name: 'word_count',
  description: 'Counts the words of a string.',
  input: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  effect: 'read',
  execute: ({ text }) => String(text).split(/\\s+/).filter(Boolean).length,
});
`;
