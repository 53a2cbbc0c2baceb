import type { Files } from '@shallot/core/files';
import type { UserCommands } from '@shallot/core/plugin';

import type { SkillSet } from './finding/load-skills.ts';
import { readSkillText } from './skill-tool.ts';

interface CommandOptions {
  readonly maxChars: number;
  readonly toolName: string;
  /** Finds the skills in these files. */
  readonly found: (files: Files) => Promise<SkillSet>;
}

/**
 * Returns the skills that only a person may call, as commands. A command becomes a message with the skill's text and
 * what the person wrote after its name.
 */
export function skillCommands({ found, ...page }: CommandOptions): UserCommands {
  return {
    async list({ files }) {
      const { userOnly } = await found(files);
      return [...userOnly.values()].map((skill) => ({
        name: skill.name,
        kind: 'skill',
        about: skill.description,
        async input(text: string) {
          const { text: content } = await readSkillText(files, skill, { offset: 0, ...page });
          return text === '' ? content : `${content}\n\n${text}`;
        },
      }));
    },
  };
}
