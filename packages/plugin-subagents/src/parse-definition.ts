import { ShallotError } from '@shallot/core';

import { readDefinition, type FileDefinition } from './read-definition.ts';

/** A definition from a file, with remarks about its parts that have no effect. */
export interface ParsedDefinition {
  readonly definition: FileDefinition;
  readonly remarks: readonly string[];
}

/** Reads the Markdown file of an agent. @throws `subagents/DEFINITION_INVALID` */
export function parseDefinition(path: string, text: string): ParsedDefinition {
  const { definition, remarks, faults } = readDefinition(text);
  if (definition !== undefined) return { definition, remarks: remarks.map(({ message }) => message) };
  throw new ShallotError('subagents/DEFINITION_INVALID', {
    message: `The definition ${path} cannot be read: ${faults.map(({ message }) => message).join('; ')}.`,
  });
}
