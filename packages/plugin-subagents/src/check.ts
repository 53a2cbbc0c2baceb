import { join } from 'node:path';

import { isShallotError } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import type { ModelName } from '@shallot/core/model';
import { fitsPattern, nearest, reasonOf, type SourceLocation } from '@shallot/core/plugin';

import { ownNames } from './background-tools.ts';
import { filesIn, type LoadedDefinition } from './load-definitions.ts';
import { subagentsOptions, toolOf } from './options.ts';
import { readDefinition } from './read-definition.ts';

/** A problem of a definition, with its line and column from 1. */
export interface AgentProblem {
  /** The path on disk if the definition is there; otherwise the path in the agent's files. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /**
   * An `error` in the options keeps the plugin from starting; one in a file keeps only its agent from starting, or from
   * having a tool. A `warning` is about something that may be unintended.
   */
  readonly level: 'error' | 'warning';
  readonly message: string;
}

/** The result of a check of definitions. */
export interface AgentReport {
  /** The number of definitions that were checked. */
  readonly checked: number;
  readonly problems: readonly AgentProblem[];
}

/** The tools and models that definitions may name. A member that is missing is not checked. */
export interface AgentReferences {
  /** The names of the tools of the agent. Those of this plugin are known. */
  readonly tools?: readonly string[];
  /** Rejects if there is no such model. */
  readonly resolveModel?: (name: ModelName) => Promise<unknown>;
}

/** The plugin's entry in a config. */
export interface AgentsEntry extends AgentReferences {
  /** Its options, as they are written. */
  readonly options: unknown;
  /** Returns the place of a path within the options. */
  readonly locate: (path: readonly (string | number)[]) => SourceLocation;
}

/** A definition, with the places of its members. */
interface PlacedDefinition {
  readonly definition: LoadedDefinition;
  readonly placeOf: (key: string) => Place;
}

type Place = Pick<AgentProblem, 'path' | 'line' | 'column'>;

/** Checks the definitions in directories, which have one Markdown file per agent. */
export async function checkDefinitions(files: Files, directories: readonly string[]): Promise<AgentReport> {
  const { placed, ...report } = await readAll(files, directories);
  return withProblems(report, [...duplicates(placed), ...delegations(placed, 'task')]);
}

/** Checks the definitions of an entry of the plugin: those of its options, and those in the files of its sources. */
export async function checkAgents(files: Files, entry: AgentsEntry): Promise<AgentReport> {
  const placeOf = (path: readonly (string | number)[]): Place => {
    const { file, line = 1, column = 1 } = entry.locate(path);
    return { path: file, line, column };
  };
  const result = await subagentsOptions['~standard'].validate(entry.options ?? {});
  if (result.issues !== undefined) {
    const problems = result.issues.map(({ message, path = [] }): AgentProblem => {
      const keys = path.map((part) => (typeof part === 'object' ? part.key : part)).map(asKey);
      return problemAt(placeOf(keys), 'error', `${keys.join('.')}: ${message}`);
    });
    return withProblems({ checked: 0, problems: [] }, problems);
  }
  const { agents, sources, toolName } = result.value;
  const own = agents.map((definition, index): PlacedDefinition => ({
    definition,
    placeOf: (key) => placeOf(['agents', index, key]),
  }));
  const { placed: found, ...report } = await readAll(files, sources);
  const placed = [...own, ...found];
  return withProblems({ ...report, checked: report.checked + own.length }, [
    ...duplicates(placed),
    ...(entry.tools === undefined ? [] : unknownTools(placed, [...entry.tools, ...ownNames(toolName)])),
    ...(await unknownModels(placed, entry.resolveModel)),
    ...delegations(placed, toolName),
  ]);
}

function withProblems({ checked, problems }: AgentReport, more: readonly AgentProblem[]): AgentReport {
  const all = [...problems, ...more];
  return {
    checked,
    problems: all.toSorted(
      (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.line - b.line || a.column - b.column,
    ),
  };
}

function problemAt(
  { path, line, column }: Place,
  level: AgentProblem['level'],
  message: string,
): AgentProblem {
  return { path, line, column, level, message };
}

function asKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? key.toString() : key;
}

/** Reads all files of directories; those that cannot be read are problems. */
async function readAll(
  files: Files,
  directories: readonly string[],
): Promise<AgentReport & { readonly placed: readonly PlacedDefinition[] }> {
  const placed: PlacedDefinition[] = [];
  const problems: AgentProblem[] = [];
  const paths = await filesIn(directories, files);
  for (const inFiles of paths) {
    const path = files.root === undefined ? inFiles : join(files.root, inFiles);
    const text = await files.readText(inFiles).catch((error: unknown) => {
      if (!isShallotError(error)) throw error;
      problems.push({ path, line: 1, column: 1, level: 'error', message: reasonOf(error) });
    });
    if (text === undefined) continue;
    const { definition, faults, remarks, valueAt } = readDefinition(text.text);
    for (const fault of faults) problems.push({ path, level: 'error', ...fault });
    for (const remark of remarks) problems.push({ path, level: 'warning', ...remark });
    if (definition !== undefined) placed.push({ definition, placeOf: (key) => ({ path, ...valueAt(key) }) });
  }
  return { checked: paths.length, placed, problems };
}

/** Returns a problem for each agent that shares its name with another. */
function duplicates(placed: readonly PlacedDefinition[]): AgentProblem[] {
  const byName = Map.groupBy(placed, ({ definition }) => definition.name);
  return [...byName].flatMap(([name, same]) =>
    same.length === 1
      ? []
      : same.map(({ placeOf }): AgentProblem => {
          const message = `${same.length} agents have the name "${name}"; rename all but one, or remove them`;
          return problemAt(placeOf('name'), 'error', message);
        }),
  );
}

function unknownTools(placed: readonly PlacedDefinition[], names: readonly string[]): AgentProblem[] {
  const isKnown = (pattern: string): boolean => names.some((name) => fitsPattern(pattern, name));
  return placed.flatMap(({ definition, placeOf }) =>
    (['tools', 'grants'] as const).flatMap((key) =>
      (definition[key] ?? [])
        .map((pattern) => toolOf(pattern.replace(/^!/, '')))
        .filter((pattern) => pattern !== '*' && !isKnown(pattern))
        .map((pattern): AgentProblem => {
          const theirs = definition.foreign?.get(pattern);
          if (theirs !== undefined)
            return problemAt(placeOf(key), 'warning', `${theirs} is ${pattern} here, which does not exist`);
          if (pattern.includes('*'))
            return problemAt(placeOf(key), 'warning', `"${pattern}" in ${key} fits no tool`);
          const near = nearest(pattern, names);
          const hint = near === undefined ? `the tools are: ${names.join(', ')}` : `did you mean "${near}"?`;
          const message = `${key} names the tool "${pattern}", which does not exist; ${hint}`;
          return problemAt(placeOf(key), 'error', message);
        }),
    ),
  );
}

async function unknownModels(
  placed: readonly PlacedDefinition[],
  resolveModel: AgentReferences['resolveModel'],
): Promise<readonly AgentProblem[]> {
  const problems: AgentProblem[] = [];
  for (const { definition, placeOf } of placed) {
    if (definition.model === undefined || resolveModel === undefined) continue;
    await resolveModel(definition.model).catch((error: unknown) => {
      if (!isShallotError(error)) throw error;
      problems.push(problemAt(placeOf('model'), 'error', reasonOf(error)));
    });
  }
  return problems;
}

/**
 * Returns warnings for agents that can delegate. Such an agent can also delegate to itself, and only the limit on depth
 * ends this.
 */
function delegations(placed: readonly PlacedDefinition[], toolName: string): AgentProblem[] {
  return placed.flatMap(({ definition: { name, tools = [] }, placeOf }): AgentProblem[] => {
    const fits = (pattern: string): boolean => fitsPattern(pattern.replace(/^!/, ''), toolName);
    const [without, selecting] = [true, false].map((isTaken) =>
      tools.filter((pattern) => pattern.startsWith('!') === isTaken),
    );
    if (selecting?.some(fits) !== true || without?.some(fits) === true) return [];
    const message = `its tools include "${toolName}", so "${name}" can delegate to every agent, itself included, until maxDepth is reached; "!${toolName}" takes it away`;
    return [problemAt(placeOf('tools'), 'warning', message)];
  });
}
