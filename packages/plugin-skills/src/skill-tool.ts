import {
  defineTool,
  isShallotError,
  type JsonObject,
  type JsonSchema,
  type RunInfo,
  type Tool,
  type ToolResult,
} from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { lastingResult, nearest, textPart } from '@shallot/core/plugin';

import type { Skill } from './finding/load-skills.ts';
import { describeFound } from './listing/find-skills.ts';
import { cut, escapeText, type SkillList } from './listing/skill-list.ts';
import { splitFrontMatter } from './parsing/front-matter.ts';
import { YamlProblem } from './parsing/parse-yaml.ts';

/** The maximum number of a skill's other files that are named. */
const maxNamedFiles = 200;

/** The maximum size of a skill's file, in bytes. */
const maxResourceBytes = 10 * 1024 * 1024;

/** A part of a skill's text that the model got, and where it began. */
export interface SkillReading {
  readonly skill: Skill;
  readonly revision: string;
  readonly callId: string;
  readonly offset: number;
  readonly text: string;
}

interface SkillToolOptions {
  readonly name: string;
  readonly maxChars: number;
  readonly skillsOf: (run: RunInfo) => Promise<ReadonlyMap<string, Skill>>;
  /** Called with each skill that was read. */
  readonly onRead: (run: RunInfo, reading: SkillReading) => void;
}

/** Returns the tool that reads skills, for use before the skills are known. */
export function skillTool({ name, maxChars, skillsOf, onRead }: SkillToolOptions): Tool {
  return defineTool({
    name,
    description:
      'Reads a skill: its instructions and the list of its other files. With `file` it reads one of these files.',
    input: inputSchema({ type: 'string' }, true),
    effect: 'read',
    async execute(args, { run, call }): Promise<ToolResult> {
      const { skill: wanted, find, file, offset } = readArguments(args);
      const skills = await skillsOf(run);
      if (wanted === '' && find !== '') return success(describeFound(skills.values(), find, name));
      const skill = skills.get(wanted);
      if (skill === undefined) return failure(describeMissing(wanted, [...skills.keys()], name));
      const page = { offset, maxChars, toolName: name };
      try {
        if (file !== undefined) return success(await readResource(run.files, skill, file, page));
        const { revision, text } = await readSkillText(run.files, skill, page);
        onRead(run, { skill, revision, callId: call.id, offset, text });
        return lastingResult(success(text));
      } catch (error) {
        if (isShallotError(error) || error instanceof YamlProblem) return failure(error.message);
        throw error;
      }
    },
  });
}

/** The maximum number of names listed when a skill is not found. */
const maxListed = 50;

function describeMissing(wanted: string, names: readonly string[], toolName: string): string {
  if (wanted === '') return 'Give the name of a skill, or with find words of the task.';
  if (names.length <= maxListed) {
    return `There is no skill "${wanted}". The skills are: ${names.join(', ') || 'none'}.`;
  }
  const near = nearest(wanted, names);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return `There is no skill "${cut(wanted, 100)}" among ${names.length}.${hint} Call ${toolName} with find and words of the task.`;
}

/**
 * Returns the tool for a list: it accepts only the names of these skills, unless there are too many, and finds skills if
 * the list is shortened.
 */
export function offerSkills(tool: Tool, { names, cutTo }: SkillList): Tool {
  const name = names === undefined ? { type: 'string' } : { enum: names };
  return defineTool({ ...tool, input: inputSchema(name, cutTo !== undefined) });
}

const findProperty = {
  find: {
    type: 'string',
    description: 'Instead of a name: words of the task, to see which skills fit it.',
  },
};

function inputSchema(name: JsonSchema, finds: boolean): JsonSchema {
  return {
    type: 'object',
    properties: {
      name: { ...name, description: 'The name of the skill.' },
      ...(finds ? findProperty : {}),
      file: { type: 'string', description: 'One of its other files, by the path that the skill gives.' },
      offset: {
        type: 'integer',
        minimum: 0,
        description: 'The character at which to continue, for a text that was cut.',
      },
    },
    ...(finds ? {} : { required: ['name'] }),
    additionalProperties: false,
  };
}

/** Reads the arguments, which the schema has validated. */
function readArguments({ name, find, file, offset }: JsonObject): {
  readonly skill: string;
  readonly find: string;
  readonly file: string | undefined;
  readonly offset: number;
} {
  return {
    skill: typeof name === 'string' ? name : '',
    find: typeof find === 'string' ? find.trim() : '',
    file: typeof file === 'string' && file !== '' ? file : undefined,
    offset: typeof offset === 'number' ? offset : 0,
  };
}

interface Page {
  readonly offset: number;
  readonly maxChars: number;
  readonly toolName: string;
}

/** Returns the requested page of a skill's text for a model. The first page ends with a list of the skill's other files. */
export async function readSkillText(
  files: Files,
  skill: Skill,
  page: Page,
): Promise<{ readonly revision: string; readonly text: string }> {
  const { text, revision } = await files.readText(skill.path);
  const { body } = splitFrontMatter(text);
  const { content, note } = pageOf(body(), page);
  const others = page.offset > 0 ? '' : await listOthers(files, skill);
  const parts = [`${skillHead(skill)}\n${content}\n</skill>`, note, others];
  return { revision, text: parts.filter((part) => part !== '').join('\n\n') };
}

/** Returns the tag with which a skill's text begins, in tool results and in messages. */
export function skillHead({ name, path }: Pick<Skill, 'name' | 'path'>): string {
  return `<skill name="${escapeText(name)}" path="${escapeText(path)}">`;
}

async function readResource(files: Files, skill: Skill, file: string, page: Page): Promise<string> {
  const path = `${skill.directory}/${file.replace(/^(?:\.?\/)+/, '')}`;
  const options = { within: skill.directory };
  const stat = await files.stat(path, options);
  if (stat !== undefined && stat.size > maxResourceBytes) {
    return `${path} has ${stat.size} bytes; files of more than ${maxResourceBytes} are not read.`;
  }
  const { bytes } = await files.read(path, options);
  const text = decode(bytes);
  if (text === undefined) {
    return `${path} is not a text file: it is binary, with ${bytes.length} bytes. Use it by its path.`;
  }
  const { content, note } = pageOf(text, page);
  return [`<file path="${escapeText(path)}">\n${content}\n</file>`, note]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns undefined if the bytes are not UTF-8, or contain NUL. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    // The bytes are not UTF-8.
    return undefined;
  }
}

function pageOf(
  text: string,
  { offset, maxChars, toolName }: Page,
): { readonly content: string; readonly note: string } {
  let end = Math.min(text.length, offset + maxChars);
  // Do not split a surrogate pair.
  if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
  const content = text.slice(offset, end);
  if (end >= text.length) return { content, note: '' };
  return {
    content,
    note: `This is cut: characters ${offset} to ${end} of ${text.length}. Call ${toolName} with offset ${end} for what follows.`,
  };
}

async function listOthers(files: Files, { directory, path }: Skill): Promise<string> {
  const entries = await files.list(directory, { recursive: true });
  const names = entries
    .filter((entry) => entry.kind === 'file' && entry.path !== path)
    .map((entry) => entry.path.slice(directory.length + 1))
    .filter((name) => !isUninteresting(name));
  if (names.length === 0) return '';
  const more = names.length > maxNamedFiles ? [`… and ${names.length - maxNamedFiles} more`] : [];
  const list = [...names.slice(0, maxNamedFiles), ...more].map((name) => `- ${name}`);
  return `Other files of this skill, in ${directory}:\n${list.join('\n')}`;
}

/** Returns true if a file is hidden, or left behind by a tool. */
function isUninteresting(name: string): boolean {
  return name
    .split('/')
    .some((part) => part.startsWith('.') || part === 'node_modules' || part === '__pycache__');
}

function success(text: string): ToolResult {
  return { content: [textPart(text)] };
}

function failure(text: string): ToolResult {
  return { content: [textPart(text)], isError: true };
}
