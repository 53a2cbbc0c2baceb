import { globSync } from 'node:fs';
import { resolve } from 'node:path';

import { formatLocation, ShallotError, type SourceLocation } from '../base/errors.ts';
import { isTool, type Tool } from '../contract/tool.ts';
import { protectGlob } from '../files/protection/loaded-files.ts';
import type { Config } from './check/config.ts';
import { describeExports } from './modules/describe-exports.ts';
import type { ModuleExports } from './modules/import-module.ts';
import { inStartTime } from './modules/in-start-time.ts';
import type { Mention } from './modules/locate.ts';
import { importFound, resolveModule, type FoundModule, type NamePlace } from './modules/resolve-module.ts';
import { isModuleFile, isPath } from './packages/names.ts';
import type { Problems } from './read/problems.ts';

type ToolMention = Mention<NonNullable<Config['tools']>[number]>;

/** An entry of `tools`: its modules, or a tool. */
export interface FoundTools {
  readonly place: NamePlace;
  readonly source: { readonly tool: Tool } | { readonly modules: readonly FoundModule[] };
}

/** Resolves the modules of all entries; those of a glob are sorted by name. */
export function resolveTools(entries: readonly ToolMention[], problems: Problems): Promise<FoundTools[]> {
  return problems.attemptEach(entries, resolveEntry);
}

function resolveEntry({ value, directory, locate }: ToolMention): FoundTools {
  const place = { directory, at: locate() };
  if (typeof value !== 'string') return { place, source: { tool: value } };
  if (!/[*?[{]/.test(value))
    return { place, source: { modules: [resolveModule(value, place, { kind: 'tools' })] } };
  protectGlob(directory, value);
  const files = globSync(isPath(value) ? value : `./${value}`, { cwd: directory })
    .filter((file) => isModuleFile(file) && !/\.(?:test|spec)\.\w+$/.test(file))
    .map((file) => resolve(directory, file))
    .toSorted();
  if (files.length > 0) return { place, source: { modules: files.map((file) => ({ file })) } };
  throw new ShallotError('MODULE_NOT_FOUND', {
    message: `No module in ${directory} matches ${value}. Fix the pattern, or remove it.`,
    at: place.at,
  });
}

/** Imports the modules in parallel, each once. Returns the tools that they export, each with the place of its entry. */
export async function importTools(
  found: readonly FoundTools[],
  problems: Problems,
  startTimeoutMs: number,
): Promise<ReadonlyMap<Tool, SourceLocation>> {
  const seen = new Set<string>();
  const sources = found.flatMap(({ place, source }): (() => PlacedTools | Promise<PlacedTools>)[] => {
    if ('tool' in source) return [() => ({ tools: [source.tool], from: 'the config', place })];
    const fresh = source.modules.filter(({ file }) => !seen.has(file));
    for (const { file } of fresh) seen.add(file);
    return fresh.map((module) => async () => {
      const what = module.package?.name ?? module.file;
      const importing = importFound(module, place);
      const exported = await inStartTime(importing, { what, ...place, startTimeoutMs });
      return { tools: toolsOf(exported, module, place), from: what, place };
    });
  });
  const placed = await problems.attemptEach(sources, (source) => source());
  return distinctTools(placed, problems);
}

interface PlacedTools {
  readonly tools: readonly Tool[];
  /** The name of a package, the path of a file, or the config itself. */
  readonly from: string;
  readonly place: NamePlace;
}

function toolsOf(exported: ModuleExports, module: FoundModule, { at }: NamePlace): Tool[] {
  const name = module.package?.name ?? module.file;
  const values = Object.values(exported).flat();
  if (values.some((value) => !isTool(value) && looksLikeTool(value))) {
    const message = `${name} exports a tool that was not created by defineTool. Pass its definition to defineTool.`;
    throw new ShallotError('MODULE_INVALID', { message, at });
  }
  const tools = values.filter(isTool);
  if (tools.length > 0) return tools;
  throw new ShallotError('MODULE_INVALID', {
    message: `${name} has no tools: it exports ${describeExports(exported)}. Export the result of defineTool, or a list of results.`,
    at,
  });
}

function looksLikeTool(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'execute' in value && typeof value.execute === 'function'
  );
}

/** Reports duplicate tools here, because the agent does not know where they come from. Leaves the later ones out. */
function distinctTools(placed: readonly PlacedTools[], problems: Problems): Map<Tool, SourceLocation> {
  const first = new Map<string, PlacedTools & { readonly tool: Tool }>();
  const places = new Map<Tool, SourceLocation>();
  for (const source of placed) {
    for (const tool of source.tools) {
      const other = first.get(tool.name);
      if (other === undefined) {
        first.set(tool.name, { ...source, tool });
        places.set(tool, source.place.at);
      } else if (other.tool !== tool) {
        const { from, place } = source;
        const where = `${other.from} (${formatLocation(other.place.at)})`;
        const message = `The tool "${tool.name}" of ${from} is also provided by ${where}. Rename one, or remove one.`;
        problems.add(new ShallotError('TOOL_DUPLICATE', { message, at: place.at }));
      }
    }
  }
  return places;
}
