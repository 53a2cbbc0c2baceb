import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

import type { ShallotError } from '@shallot/core';
import { installedSchema, type InstalledSchema } from '@shallot/core/command';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import type { Screen } from '../terminal/screen.ts';
import { replaceFile } from './replace-file.ts';

/** The path of the config's JSON Schema, relative to the config's directory. */
export const schemaFile = '.shallot/config.schema.json';

/** Returns the line that links the schema for editors; undefined for a config in code, which has types instead. */
export function schemaLink(config: string): string | undefined {
  switch (extname(config)) {
    case '.yaml':
    case '.yml':
    case '':
      return `# yaml-language-server: $schema=${schemaFile}`;
    case '.json':
      return `"$schema": "./${schemaFile}"`;
    default:
      return undefined;
  }
}

/** Describes the config with the installed plugins. Failures of plugins become warnings of the result. */
export function describeConfig(options: AgentCommandOptions, screen: Screen): Promise<InstalledSchema> {
  return screen.uncaught.orFirst(() => installedSchema(configLoading(options, screen)));
}

/** Writes the schema beside the config. Returns its path. */
export function writeSchema({ schema, path }: InstalledSchema): string {
  const file = join(dirname(path), schemaFile);
  replaceFile(file, schemaText(schema));
  return file;
}

/** Updates the schema of a project, if it has one. Returns the warnings. */
export async function refreshSchema(
  options: AgentCommandOptions,
  config: string,
  screen: Screen,
): Promise<readonly ShallotError[]> {
  if (!existsSync(join(dirname(config), schemaFile))) return [];
  const described = await describeConfig(options, screen);
  writeSchema(described);
  return described.warnings;
}

export function schemaText(schema: InstalledSchema['schema']): string {
  return `${JSON.stringify(schema, null, 1)}\n`;
}
