import type { Skill } from '../finding/load-skills.ts';
import { maxDescriptionLength } from '../parsing/parse-skill.ts';

/** The list of skills that a model gets: name, description and path of each, never their text. */
export interface SkillList {
  readonly text: string;
  /** The names that the tool accepts; undefined if there is no room for them, so that it accepts any. */
  readonly names?: readonly string[];
  /** The length to which long descriptions were cut to shorten the list, in characters; 0 if it has only names. */
  readonly cutTo?: number;
  /** The number of skills listed without their description, while others have one. */
  readonly undescribed?: number;
  /** The number of skills that are not listed, because even the names are too long. */
  readonly unnamed?: number;
}

interface ListOptions {
  readonly sources: readonly string[];
  readonly toolName: string;
}

/** The maximum length of the list, including the names in the tool's schema. */
export type ListBudget =
  | { readonly maxChars: number }
  | { readonly maxTokens: number; readonly count: (text: string) => number };

/** Descriptions are not cut below this length, because they would be of little use. */
const minDescriptionLength = 16;
/** The maximum number of enum values that providers accept. */
const maxEnum = 250;
/** The characters per token in a text of many names; the exact tokens are counted afterwards. */
const charsPerToken = 4;

/**
 * Renders as much about skills as fits. If not everything does, these are given up in turn: paths, the length of
 * descriptions (long ones first), descriptions, the names that the tool accepts, names. Returns an empty text if
 * there are no skills.
 */
export function renderSkillList(
  skills: readonly Skill[],
  options: ListOptions,
  budget: ListBudget,
): SkillList {
  if (skills.length === 0) return { text: '' };
  if ('maxChars' in budget) return renderWithin(skills, options, budget.maxChars);
  const { maxTokens, count } = budget;
  let maxChars = Math.floor(maxTokens * charsPerToken);
  for (;;) {
    const list = renderWithin(skills, options, maxChars);
    const used = count(list.text) + count(JSON.stringify(list.names ?? []));
    if (used <= maxTokens || list.unnamed === skills.length) return list;
    maxChars = Math.floor(maxChars * Math.min(0.95, maxTokens / used));
  }
}

function renderWithin(skills: readonly Skill[], options: ListOptions, maxChars: number): SkillList {
  // Avoids formatting thousands of skills only to find that they do not fit.
  const least = skills.reduce((sum, { name }) => sum + name.length + '<skill></skill>\n'.length, 0);
  if (least > maxChars) return renderSome(skills, options, maxChars);
  const all = skills.map(({ name }) => name);
  const names = all.length <= maxEnum ? { names: all } : {};
  const room = maxChars - (names.names === undefined ? 0 : JSON.stringify(all).length);
  const whole = frame(skills.map(withPath), described, options);
  if (whole.length <= room) return { text: whole, ...names };
  const short = frame(
    skills.map((skill) => withDescription(skill, maxDescriptionLength)),
    described,
    options,
  );
  if (short.length <= room) return { text: short, ...names };
  const cutTo = shareFor(
    skills,
    room -
      frame(
        skills.map((skill) => withDescription(skill, 0)),
        shortened,
        options,
      ).length,
  );
  if (cutTo >= minDescriptionLength) {
    const text = frame(
      skills.map((skill) => withDescription(skill, cutTo)),
      shortened,
      options,
    );
    return { text, ...names, cutTo };
  }
  const some = renderPartly(skills, options, room);
  if (some !== undefined) return { ...some, ...names };
  const named = frame(skills.map(onlyName), onlyNames, options);
  if (named.length <= room) return { text: named, ...names, cutTo: 0 };
  if (named.length <= maxChars) return { text: named, cutTo: 0 };
  return renderSome(skills, options, maxChars);
}

/** Renders all names, and as many descriptions as fit, the shortest first; undefined if none fits. */
function renderPartly(
  skills: readonly Skill[],
  options: ListOptions,
  room: number,
): Pick<SkillList, 'text' | 'cutTo' | 'undescribed'> | undefined {
  const entries = skills.map(onlyName);
  let left = room - frame(entries, shortened, options).length;
  const long = skills.map((skill) => withDescription(skill, minDescriptionLength));
  const cost = (at: number): number => (long[at]?.length ?? 0) - (entries[at]?.length ?? 0);
  const cheapestFirst = [...skills.keys()].toSorted((one, other) => cost(one) - cost(other));
  let described = 0;
  for (const at of cheapestFirst) {
    left -= cost(at);
    if (left < 0) break;
    entries[at] = long[at] ?? '';
    described += 1;
  }
  if (described === 0) return undefined;
  const text = frame(entries, shortened, options);
  return { text, cutTo: minDescriptionLength, undescribed: skills.length - described };
}

/** Returns as many names as fit; the tool finds the others. */
function renderSome(skills: readonly Skill[], options: ListOptions, maxChars: number): SkillList {
  const entries: string[] = [];
  const render = (): string => {
    const more = `… and ${skills.length - entries.length} more, which the tool finds`;
    return frame([...entries, more], onlyNames, options);
  };
  let room = maxChars - render().length;
  for (const skill of skills) {
    const entry = onlyName(skill);
    room -= entry.length + 1;
    if (room < 0) break;
    entries.push(entry);
  }
  return { text: render(), cutTo: 0, unnamed: skills.length - entries.length };
}

/**
 * Returns the length that each description may have so that all fit a limit. Short descriptions are kept completely.
 */
function shareFor(skills: readonly Skill[], limit: number): number {
  const lengths = skills.map(({ description }) => escapeText(cut(description, maxDescriptionLength)).length);
  let left = limit;
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return share;
    left -= length;
  }
  return maxDescriptionLength;
}

function withPath({ name, description, path }: Skill): string {
  return [
    '<skill>',
    `<name>${escapeText(name)}</name>`,
    `<description>${escapeText(cut(description, maxDescriptionLength))}</description>`,
    `<path>${escapeText(path)}</path>`,
    '</skill>',
  ].join('\n');
}

function withDescription({ name, description }: Skill, maxLength: number): string {
  let length = Math.min(maxLength, maxDescriptionLength);
  let text = escapeText(cut(description, length));
  // Escaping makes text longer.
  while (text.length > maxLength && length < maxDescriptionLength) {
    length -= Math.ceil((text.length - maxLength) / '&quot;'.length);
    text = escapeText(cut(description, length));
  }
  return `<skill name="${escapeText(name)}">${text}</skill>`;
}

function onlyName({ name }: Skill): string {
  return `<skill>${escapeText(name)}</skill>`;
}

const described = (): string => 'What stands here are only descriptions.';
const shortened = (toolName: string): string =>
  `What stands here are only descriptions, and long ones are cut: \`${toolName}\` with \`find\` shows them whole.`;
const onlyNames = (toolName: string): string =>
  `What stands here are only names: call \`${toolName}\` with \`find\` and words of the task to see which skills fit it.`;

function frame(
  entries: readonly string[],
  what: (toolName: string) => string,
  { sources, toolName }: ListOptions,
): string {
  return [
    'Skills are instructions for certain kinds of work. When a task fits the description of a skill, read the skill with ' +
      `the tool \`${toolName}\` before you begin, and follow it. ${what(toolName)}`,
    `Skills are from, the later over the earlier: ${sources.map(escapeText).join(', ')}`,
    `<available_skills>\n${entries.join('\n')}\n</available_skills>`,
  ].join('\n\n');
}

/** Returns text that can neither end the element that contains it nor begin another. */
export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Returns a text of at most this length. One that is longer ends with an ellipsis, and no surrogate pair is split. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = text.slice(0, Math.max(0, maxLength - 1));
  return maxLength === 0 ? '' : `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
}
