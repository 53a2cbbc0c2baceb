import { globSync } from 'node:fs';
import { resolve } from 'node:path';

import { ShallotError } from '../errors.ts';
import type { Tool } from '../tool.ts';
import type { Config } from './config.ts';
import { isTool } from './kinds.ts';
import type { Mention } from './locate.ts';
import { isModuleFile, isPath } from './names.ts';
import type { Problems } from './problems.ts';
import {
  describeExports,
  importFound,
  resolveModule,
  type FoundModule,
  type NamePlace,
} from './resolve-module.ts';

type ToolMention = Mention<NonNullable<Config['tools']>[number]>;

/** An entry of the list of tools whose modules were found, or that is a tool already. */
export type FoundTools =
  | { readonly tool: Tool }
  | { readonly modules: readonly FoundModule[]; readonly place: NamePlace };

/** Finds the modules of all entries: of a glob, in the order of their names. */
export function resolveTools(entries: readonly ToolMention[], problems: Problems): Promise<FoundTools[]> {
  return problems.attemptEach(entries, resolveEntry);
}

function resolveEntry({ value, directory, locate }: ToolMention): FoundTools {
  if (typeof value !== 'string') return { tool: value };
  const place = { directory, at: locate() };
  if (!/[*?[{]/.test(value)) return { modules: [resolveModule(value, place)], place };
  const pattern = isPath(value) ? value : `./${value}`;
  const files = globSync(pattern, { cwd: directory })
    .filter((file) => isModuleFile(file) && !/\.(?:test|spec)\.\w+$/.test(file))
    .map((file) => resolve(directory, file))
    .toSorted();
  if (files.length > 0) return { modules: files.map((file) => ({ file })), place };
  throw new ShallotError('MODULE_NOT_FOUND', {
    message: `No module fits ${value} in ${directory}. Correct the pattern, or remove it.`,
    at: place.at,
  });
}

/** Imports the modules, all at once and each one once, and gives all tools that they export. */
export async function importTools(found: readonly FoundTools[], problems: Problems): Promise<Tool[]> {
  const seen = new Set<string>();
  const sources = found.flatMap((entry): (() => readonly Tool[] | Promise<readonly Tool[]>)[] => {
    if ('tool' in entry) return [() => [entry.tool]];
    const fresh = entry.modules.filter(({ file }) => !seen.has(file));
    for (const { file } of fresh) seen.add(file);
    return fresh.map((module) => () => importToolsOf(module, entry.place));
  });
  const tools = await problems.attemptEach(sources, (source) => source());
  return [...new Set(tools.flat())];
}

async function importToolsOf(module: FoundModule, place: NamePlace): Promise<Tool[]> {
  const exported = await importFound(module, place);
  const tools = Object.values(exported).flat().filter(isTool);
  if (tools.length > 0) return tools;
  throw new ShallotError('MODULE_INVALID', {
    message:
      `${module.package?.name ?? module.file} has no tools: it exports ${describeExports(exported)}. ` +
      'Export what defineTool returns, or a list of it.',
    at: place.at,
  });
}
