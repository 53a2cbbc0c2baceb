import type { Files } from '@shallot/core/files';
import { reasonOf } from '@shallot/core/plugin';

import { nameOf, revisionOf } from './finding/find-skill-file.ts';
import { defaultDepth, walkSource, type FoundSkill } from './finding/walk-source.ts';
import { readFrontMatter } from './parsing/front-matter.ts';
import { maxDescriptionLength, maxNameLength } from './parsing/parse-skill.ts';
import { YamlProblem, type Field, type ParsedYaml, type Remark } from './parsing/parse-yaml.ts';

const maxCompatibilityLength = 500;

/** The keys of the standard. */
const knownKeys = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];

/** A violation of the rules, with its line and column from 1. */
export interface SkillProblem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The result of a check of skills. No problems mean that the plugin will load them all. */
export interface SkillReport {
  /** The files that were checked. */
  readonly checked: readonly string[];
  readonly problems: readonly SkillProblem[];
}

/**
 * Checks a skill, or all skills in a directory down to the default search depth, by the rules of agentskills.io. These
 * rules are stricter than `loadSkills`.
 */
export async function checkSkills(files: Files, directory: string): Promise<SkillReport> {
  const { skills, failed } = await walkSource(files, directory, defaultDepth);
  const reports = failed.map(({ path, reason }) => failure(path, reason));
  for (const skill of skills) reports.push(await checkSkill(files, skill));
  if (reports.length === 0) {
    const { problems } = failure(
      directory,
      'it contains no skill: no SKILL.md in it or in its subdirectories',
    );
    return { checked: [], problems };
  }
  return {
    checked: reports.flatMap(({ checked }) => checked),
    problems: reports.flatMap(({ problems }) => problems),
  };
}

function failure(path: string, message: string): SkillReport {
  return { checked: [path], problems: [{ path, line: 1, column: 1, message }] };
}

async function checkSkill(files: Files, { directory, path }: FoundSkill): Promise<SkillReport> {
  try {
    await revisionOf(files, path);
    const { text } = await files.readText(path);
    const problems = checkSkillText(text, nameOf(directory)).map(({ message, at: { line, column } }) => ({
      path,
      line,
      column,
      message,
    }));
    if (nameOf(path) === 'SKILL.md') return { checked: [path], problems };
    const misnamed = `the file is named ${nameOf(path)}; rename it to SKILL.md`;
    return { checked: [path], problems: [{ path, line: 1, column: 1, message: misnamed }, ...problems] };
  } catch (error) {
    return failure(path, reasonOf(error));
  }
}

/** Checks the text of a SKILL.md and returns its violations. `directory` is the name of its directory. */
export function checkSkillText(text: string, directory: string): readonly Remark[] {
  let file: ParsedYaml;
  try {
    file = readFrontMatter(text);
  } catch (error) {
    if (error instanceof YamlProblem) return [{ message: error.message, at: error.at }];
    throw error;
  }
  const { fields, oddities } = file;
  const found = [
    ...oddities,
    ...checkName(fields.get('name'), directory),
    ...checkLength(fields.get('description'), 'description', maxDescriptionLength, true),
    ...checkLength(fields.get('license'), 'license', Infinity),
    ...checkLength(fields.get('compatibility'), 'compatibility', maxCompatibilityLength),
    ...checkMetadata(fields.get('metadata')),
    ...checkLength(fields.get('allowed-tools'), 'allowed-tools', Infinity),
    ...checkKeys(fields),
  ];
  return found.toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
}

function checkName(field: Field | undefined, directory: string): Remark[] {
  if (field === undefined) return missing('name');
  const { value, at } = field;
  const tell = (message: string): Remark[] => [{ message, at }];
  if (typeof value !== 'string' || value === '') return tell('the name is not a string');
  const found: Remark[] = [];
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value)) {
    found.push(
      ...tell(`the name is "${value}"; use lower-case letters, digits, and single hyphens between them`),
    );
  }
  if (value.length > maxNameLength) {
    found.push(...tell(`the name has ${value.length} characters; the limit is ${maxNameLength}`));
  }
  if (value !== directory)
    found.push(...tell(`the name is "${value}", but the directory is "${directory}"; make them equal`));
  return found;
}

/** Checks that a field is a non-empty text of at most `max` characters. */
function checkLength(field: Field | undefined, key: string, max: number, isRequired = false): Remark[] {
  if (field === undefined) return isRequired ? missing(key) : [];
  const { value, at } = field;
  if (typeof value !== 'string') return [{ message: `${key} is ${kindOf(value)}; write a string`, at }];
  if (value.trim() === '') return [{ message: `${key} is empty`, at }];
  if (value.length <= max) return [];
  return [{ message: `${key} has ${value.length} characters; the limit is ${max}`, at }];
}

function checkMetadata(field: Field | undefined): Remark[] {
  if (field === undefined) return [];
  const { value, at } = field;
  if (typeof value === 'string' || Array.isArray(value)) {
    return [{ message: `metadata is ${kindOf(value)}; write a map of strings`, at }];
  }
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === 'string' ? [] : [{ message: `metadata.${key} is ${kindOf(each)}; write a string`, at }],
  );
}

function checkKeys(fields: ParsedYaml['fields']): Remark[] {
  return [...fields].flatMap(([key, { keyAt }]) =>
    knownKeys.includes(key)
      ? []
      : [
          {
            message: `the key "${key}" is not part of the standard, which has ${knownKeys.join(', ')}`,
            at: keyAt,
          },
        ],
  );
}

function missing(key: string): Remark[] {
  return [{ message: `${key} is missing`, at: { line: 1, column: 1 } }];
}

function kindOf(value: Field['value']): string {
  if (typeof value === 'string') return 'a string';
  return Array.isArray(value) ? 'a list' : 'a map';
}
