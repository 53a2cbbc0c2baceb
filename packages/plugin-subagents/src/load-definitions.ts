import { isShallotError, ShallotError } from '@shallot/core';
import type { PluginSetup } from '@shallot/core/plugin';

import type { Definition, Settings } from './options.ts';
import { parseDefinition } from './parse-definition.ts';
import type { FileDefinition } from './read-definition.ts';

/** A definition from the options or from a file. */
export type LoadedDefinition = Definition & Partial<FileDefinition>;

/** The agent that is offered if there is no definition. */
const general: LoadedDefinition = {
  name: 'general',
  description: 'Does any task that can be done on its own, with the same tools.',
};

/**
 * Returns the agents of the options, then those of the files; without any, a general one. @throws
 * `subagents/DEFINITION_INVALID`, `subagents/AGENT_DUPLICATE`
 */
export async function loadDefinitions(
  { agents, sources }: Settings,
  files: PluginSetup['files'],
  log: PluginSetup['log'],
): Promise<readonly LoadedDefinition[]> {
  const found = new Map<string, { readonly definition: LoadedDefinition; readonly from: string }>();
  const add = (definition: LoadedDefinition, from: string): void => {
    const known = found.get(definition.name);
    if (known !== undefined) throw duplicate(definition.name, known.from, from);
    found.set(definition.name, { definition, from });
  };
  for (const definition of agents) add(definition, 'the option agents');
  for (const path of await filesIn(sources, files)) {
    const { definition, remarks } = parseDefinition(path, (await files.readText(path)).text);
    for (const remark of remarks) log.warn({ path }, `${path}: ${remark}`);
    add(definition, path);
  }
  const definitions = Array.from(found.values(), ({ definition }) => definition);
  return definitions.length === 0 ? [general] : definitions;
}

/** Returns the paths of the Markdown files in folders, and protects these. Folders that do not exist are skipped. */
export async function filesIn(
  sources: readonly string[],
  files: PluginSetup['files'],
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const source of sources) {
    files.protect?.(`/${source}/*.md`, 'source');
    const entries = await files.list(source).catch((error: unknown) => {
      if (isShallotError(error) && skipped.has(error.code)) return [];
      throw error;
    });
    // A link may lead to a file elsewhere.
    for (const { path, link } of entries)
      if (link === true && path.endsWith('.md')) files.protect?.(path, 'source');
    paths.push(
      ...entries
        .flatMap(({ path, kind }) => (kind === 'file' && path.endsWith('.md') ? [path] : []))
        .toSorted(),
    );
  }
  return paths;
}

/** Codes of errors for which a folder is skipped: it does not exist, or the agent's files are known only in a run. */
const skipped: ReadonlySet<string> = new Set(['FILE_NOT_FOUND', 'FILE_FAILED']);

function duplicate(name: string, first: string, second: string): ShallotError {
  return new ShallotError('subagents/AGENT_DUPLICATE', {
    message: `There are two agents named "${name}": in ${first} and in ${second}. Rename one, or remove one.`,
  });
}
