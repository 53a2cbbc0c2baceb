import type { Skill } from './load-skills.ts';
import { maxDescriptionLength } from './parse-skill.ts';

/** What a model is told of the skills that there are: name, description and path of each, never their text. */
export interface SkillList {
  readonly text: string;
  /** To how many characters descriptions were cut, so that the list is not too long; 0 when only names are in it. */
  readonly cutTo?: number;
  /** How many skills are not even named, since their names alone are too long. */
  readonly unnamed?: number;
}

interface ListOptions {
  readonly sources: readonly string[];
  readonly toolName: string;
  readonly maxChars: number;
}

/** A description that is shorter than this says less than the room it takes is worth. */
const minDescriptionLength = 16;

/** An empty text when there are no skills. */
export function renderSkillList(skills: readonly Skill[], options: ListOptions): SkillList {
  if (skills.length === 0) return { text: '' };
  const whole = renderDescribed(skills, options, maxDescriptionLength);
  if (whole.length <= options.maxChars) return { text: whole };
  // Each description gets the same share; names and paths are always there.
  const fixed = renderDescribed(skills, options, 0).length;
  const cutTo = Math.floor((options.maxChars - fixed) / skills.length);
  if (cutTo < minDescriptionLength) return renderNamed(skills, options);
  return { text: renderDescribed(skills, options, cutTo), cutTo };
}

function renderDescribed(skills: readonly Skill[], options: ListOptions, maxLength: number): string {
  const entries = skills.map(({ name, description, path }) =>
    [
      '<skill>',
      `<name>${escapeText(name)}</name>`,
      `<description>${escapeText(cut(description, maxLength))}</description>`,
      `<path>${escapeText(path)}</path>`,
      '</skill>',
    ].join('\n'),
  );
  return frame(entries, 'What stands here are only descriptions.', options);
}

/** As many names as there is room for; a model that knows more of them can read those skills too. */
function renderNamed(skills: readonly Skill[], options: ListOptions): SkillList {
  const entries = skills.map(({ name }) => `<skill>${escapeText(name)}</skill>`);
  const render = (count: number): string => {
    const unnamed = skills.length - count;
    const more = unnamed === 0 ? [] : [`… and ${unnamed} more`];
    return frame([...entries.slice(0, count), ...more], 'What stands here are only names.', options);
  };
  let room = options.maxChars - render(0).length;
  const end = entries.findIndex((entry) => (room -= entry.length + 1) < 0);
  if (end === -1) return { text: render(skills.length), cutTo: 0 };
  return { text: render(end), cutTo: 0, unnamed: skills.length - end };
}

function frame(entries: readonly string[], what: string, { sources, toolName }: ListOptions): string {
  return [
    'Skills are instructions for certain kinds of work. When a task fits the description of a skill, read the skill with ' +
      `the tool \`${toolName}\` before you begin, and follow it. ${what}`,
    `Skills are from, the later over the earlier: ${sources.map(escapeText).join(', ')}`,
    `<available_skills>\n${entries.join('\n')}\n</available_skills>`,
  ].join('\n\n');
}

/** Text that cannot end the element that it stands in, or begin another. */
export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The beginning of a text, without half a character at its end. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = text.slice(0, Math.max(0, maxLength - 1));
  return maxLength === 0 ? '' : `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
}
