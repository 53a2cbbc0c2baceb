import type { Skill } from './load-skills.ts';
import { maxDescriptionLength } from './parse-skill.ts';

/** What a model is told of the skills that there are: name, description and path of each, never their text. */
export interface SkillList {
  readonly text: string;
  /** To how many characters descriptions were cut, so that the list is not too long. */
  readonly cutTo?: number;
}

interface ListOptions {
  readonly sources: readonly string[];
  readonly toolName: string;
  readonly maxChars: number;
}

/** An empty text when there are no skills. */
export function renderSkillList(skills: readonly Skill[], options: ListOptions): SkillList {
  if (skills.length === 0) return { text: '' };
  const whole = render(skills, options, maxDescriptionLength);
  if (whole.length <= options.maxChars) return { text: whole };
  // Each description gets the same share; names and paths are always there.
  const fixed = render(skills, options, 0).length;
  const cutTo = Math.max(0, Math.floor((options.maxChars - fixed) / skills.length));
  return { text: render(skills, options, cutTo), cutTo };
}

function render(skills: readonly Skill[], { sources, toolName }: ListOptions, maxLength: number): string {
  const entries = skills.map(({ name, description, path }) =>
    [
      '<skill>',
      `<name>${escapeText(name)}</name>`,
      `<description>${escapeText(cut(description, maxLength))}</description>`,
      `<path>${escapeText(path)}</path>`,
      '</skill>',
    ].join('\n'),
  );
  return [
    'Skills are instructions for certain kinds of work. When a task fits the description of a skill, read the skill with ' +
      `the tool \`${toolName}\` before you begin, and follow it. What stands here are only descriptions.`,
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
