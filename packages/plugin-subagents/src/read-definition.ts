import { isOnlyForeign, toolsHere } from '@shallot/core/plugin';

import { readFrontMatter, type Fault, type FrontMatter } from './front-matter.ts';
import type { Definition } from './options.ts';

/** The definition in a file. */
export interface FileDefinition extends Definition {
  /** The tools that the file names as in Claude Code: the written names, by the tools' names here. */
  readonly foreign: ReadonlyMap<string, string>;
}

/** The result of reading a definition. */
export interface ReadDefinition {
  /** Undefined if there are faults. */
  readonly definition: FileDefinition | undefined;
  /** Parts of the file that do not have the effect that they ask for. */
  readonly remarks: readonly Fault[];
  readonly faults: readonly Fault[];
  /** Returns the place of the value of a key; without such a key, that of the front matter. */
  readonly valueAt: FrontMatter['valueAt'];
}

/**
 * The keys that a file may have. `grants` is not one of them, because a file must not give tools that the parent does
 * not have.
 */
const definitionKeys = [
  'name',
  'description',
  'model',
  'tools',
  'disallowedTools',
  'skills',
  'maxSteps',
] as const;

const nameForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads a Markdown file: front matter with the keys of a definition, and instructions below. */
export function readDefinition(text: string): ReadDefinition {
  const front = readFrontMatter(text);
  if ('message' in front) {
    const { line, column } = front;
    return { definition: undefined, remarks: [], faults: [front], valueAt: () => ({ line, column }) };
  }
  const { fields, body, valueAt } = front;
  const faults: Fault[] = [];
  const remarks = ignoredKeys(front);
  const notes: Notes = {
    refuse: (key, message) => void faults.push({ ...valueAt(key), message: `its ${key} ${message}` }),
    remark: (key, message) => void remarks.push({ ...valueAt(key), message }),
  };
  const name = nameOf(fields['name'], notes);
  const description = descriptionOf(fields['description'], notes);
  const model = modelOf(fields['model'], notes);
  const { tools, foreign } = toolsOf(fields, notes);
  const skills = namesIn(fields, 'skills', notes);
  const maxSteps = stepsOf(fields['maxSteps'], notes);
  const isWhole = name !== undefined && description !== undefined && faults.length === 0;
  return {
    definition: isWhole
      ? {
          name,
          description,
          foreign,
          ...(body === '' ? {} : { instructions: body }),
          ...(model === undefined ? {} : { model }),
          ...(tools === undefined ? {} : { tools }),
          ...(skills === undefined ? {} : { skills }),
          ...(maxSteps === undefined ? {} : { maxSteps }),
        }
      : undefined,
    remarks,
    faults,
    valueAt,
  };
}

interface Notes {
  /** Notes why the value of a key cannot be used. */
  readonly refuse: (key: string, message: string) => undefined;
  /** Notes a value that does not have the effect that it asks for. */
  readonly remark: (key: string, message: string) => undefined;
}

function ignoredKeys({ fields, keyAt }: FrontMatter): Fault[] {
  const isKnown = (key: string): boolean => definitionKeys.some((known) => known === key);
  return Object.keys(fields)
    .filter((key) => !isKnown(key))
    .map((key) => ({
      line: keyAt(key).line,
      column: keyAt(key).column,
      message: `the key "${key}" is ignored; a definition has ${definitionKeys.join(', ')}`,
    }));
}

function nameOf(name: unknown, { refuse }: Notes): string | undefined {
  if (typeof name === 'string' && nameForm.test(name)) return name;
  return refuse('name', `is ${show(name)}; write 1 to 64 letters, digits, "_" and "-"`);
}

function descriptionOf(description: unknown, { refuse }: Notes): string | undefined {
  if (typeof description === 'string' && description.trim() !== '') return description.trim();
  return refuse('description', 'is missing; write when to delegate to the agent');
}

/** Models by the words of Claude Code, which name no provider. */
const foreignModel = /^(?:sonnet|opus|haiku|claude-[\w.-]+)$/i;

/** Matches a model of a provider, but no path, because authors of agents must not be able to choose code to load. */
const providerModel = /^(?:offline|[A-Za-z0-9][\w-]*\/[^\s\\]+)$/;

function modelOf(model: unknown, { refuse, remark }: Notes): string | undefined {
  // These values stand for the parent's model.
  if (model === undefined || model === null || model === 'inherit') return undefined;
  const name = typeof model === 'string' ? model.trim() : '';
  if (foreignModel.test(name))
    return remark(
      'model',
      `the model "${name}" is not of a provider; the agent gets the model of its parent`,
    );
  if (providerModel.test(name)) return name;
  return refuse('model', `is ${show(model)}; write provider/model, as files are only allowed in options`);
}

/** Returns the patterns of both keys, and the Claude Code names that they contain. */
function toolsOf(
  fields: FrontMatter['fields'],
  notes: Notes,
): { readonly tools: readonly string[] | undefined; readonly foreign: ReadonlyMap<string, string> } {
  const foreign = new Map<string, string>();
  const here = (key: string, name: string): readonly string[] => {
    const names = toolsHere(name);
    for (const each of names) foreign.set(each, name);
    if (names.length > 0) return names;
    const isForeign = isOnlyForeign(name) || name.includes('(');
    if (!isForeign) return [name];
    notes.remark(key, `the tool "${name}" in ${key} has no counterpart here, and is left out`);
    return [];
  };
  const selected = namesIn(fields, 'tools', notes)?.flatMap((name) => here('tools', name));
  const without = namesIn(fields, 'disallowedTools', notes)?.flatMap((name) =>
    here('disallowedTools', name.replace(/\(.*$/, '')),
  );
  if (without === undefined) return { tools: selected, foreign };
  return { tools: [...(selected ?? []), ...without.map((name) => `!${name}`)], foreign };
}

/** Returns a list of names, which may be written as one string with commas; undefined without a valid one. */
function namesIn(
  fields: FrontMatter['fields'],
  key: string,
  { refuse }: Notes,
): readonly string[] | undefined {
  const names = fields[key];
  if (names === undefined || names === null) return undefined;
  const list: unknown = typeof names === 'string' ? splitNames(names) : names;
  const isTexts = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (!isTexts(list)) return refuse(key, `are ${show(names)}; write a list of names or patterns`);
  return list.map((each) => each.trim()).filter((each) => each !== '');
}

/** Splits at commas, but not at those in parentheses. */
function splitNames(names: string): readonly string[] {
  return names.match(/(?:[^,(]|\([^)]*\)?)+/g) ?? [];
}

function stepsOf(steps: unknown, { refuse }: Notes): number | undefined {
  if (steps === undefined) return undefined;
  const number = Number(steps);
  if (Number.isInteger(number) && number >= 1) return number;
  return refuse('maxSteps', `is ${show(steps)}; write an integer from 1`);
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);
}
