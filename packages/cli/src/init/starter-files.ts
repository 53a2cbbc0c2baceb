import { basename } from 'node:path';

import { loadConfigEditor, shortName } from '@shallot/core/command';

import type { WrittenEntry } from '../project/proposed-entry.ts';
import { schemaFile } from '../project/schema-file.ts';
import { modelEntry, type ModelAnswer } from './model-answer.ts';
import type { Template } from './templates.ts';

/** The choices made in `shallot init`. */
export interface InitChoices {
  /** The agent's name, by which workers find their runs. */
  readonly name: string;
  readonly language: ConfigLanguage;
  readonly model: ModelAnswer;
  readonly template: Template;
  /** The entries of the plugins to list: those of the template first, with its options. */
  readonly plugins: readonly WrittenEntry[];
}

export const configLanguages = ['yaml', 'json', 'ts'] as const;

export type ConfigLanguage = (typeof configLanguages)[number];

/** Returns the files of a first agent, by path: a config, and a list of files for git to ignore. */
export async function starterFiles(choices: InitChoices): Promise<Readonly<Record<string, string>>> {
  return {
    [`shallot.config.${choices.language}`]: await configText(choices),
    '.gitignore': ignoredFiles.map((line) => `${line}\n`).join(''),
  };
}

/** Returns a name for the agent of a directory. */
export function agentName(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'agent' : name;
}

/** Files that git must not track: packages, sessions and traces, keys. */
export const ignoredFiles = ['node_modules/', '.shallot/', '.env'] as const;

async function configText({ name, language, model, template, plugins }: InitChoices): Promise<string> {
  const optionsOf = (use: string) =>
    template.plugins.find((plugin) => plugin.use === shortName(use))?.options;
  const values = {
    name,
    model: modelEntry(model),
    instructions: template.instructions,
    plugins: plugins.map((entry) => {
      const use = typeof entry === 'string' ? entry : entry.use;
      const options = optionsOf(use);
      return options === undefined ? entry : { use, options };
    }),
  };
  switch (language) {
    case 'yaml': {
      const { yamlConfig } = await loadConfigEditor();
      const comments = Object.fromEntries(
        template.plugins.flatMap(({ use, about }) => (about === undefined ? [] : [[use, about]])),
      );
      return yamlConfig({ values, comments, schema: schemaFile });
    }
    case 'json':
      return `${JSON.stringify({ $schema: `./${schemaFile}`, ...values }, null, 2)}\n`;
    case 'ts':
      return `import { defineConfig } from '@shallot/core/config';\n\nexport default defineConfig(${codeOf(values)});\n`;
  }
}

/** Writes JSON as an object literal, without quotes around names that need none. */
function codeOf(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([a-z_]\w*)":/gim, '$1$2:');
}
