import { resolve } from 'node:path';

import { formatPlace } from '../terminal/place.ts';
import type { OpenedAgent } from '../work/with-agent.ts';

/** A part of an agent's instructions. */
export interface InstructionPart {
  /** The absolute path of the file that holds it; undefined for a text in the config. */
  readonly file?: string | undefined;
  /** `file:line:column` of the config entry. */
  readonly at: string;
}

/** Returns the parts of the instructions that a config names, in their order. */
export function instructionParts({
  merged: { instructions },
}: OpenedAgent['config']): readonly InstructionPart[] {
  if (instructions === undefined) return [];
  const { value, directory, locate } = instructions;
  const partAt = (part: { readonly file?: string }, ...path: readonly number[]): InstructionPart => ({
    file: part.file && resolve(directory, part.file),
    at: formatPlace(locate(path)),
  });
  if (typeof value === 'string') return [partAt({})];
  if ('file' in value) return [partAt(value)];
  return value.map((part, index) => partAt('file' in part ? part : {}, index));
}
