import { ShallotError } from '@shallot/core';

import type { Definition } from './options.ts';
import { readDefinition } from './read-definition.ts';

/** A definition from a file, with the keys that were ignored. */
export interface ParsedDefinition {
  readonly definition: Definition;
  readonly ignored: readonly string[];
}

/** Reads the Markdown file of an agent. @throws `subagents/DEFINITION_INVALID` */
export function parseDefinition(path: string, text: string): ParsedDefinition {
  const { definition, ignored, faults } = readDefinition(text);
  if (definition !== undefined) return { definition, ignored: ignored.map(({ key }) => key) };
  throw new ShallotError('subagents/DEFINITION_INVALID', {
    message: `The definition ${path} cannot be read: ${faults.map(({ message }) => message).join('; ')}.`,
  });
}
