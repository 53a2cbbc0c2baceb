import type { PlainCommand } from '../line/plain-line.ts';
import { compared, gitReader } from './git-reader.ts';
import { isTesting } from './is-testing.ts';
import { fitsReader, readArguments, type Reader } from './reader.ts';
import { readingPrograms } from './reading-programs.ts';

/** The names of rules that stand for lists of programs and options. */
export const presetNames = ['reading', 'git-reading', 'testing'] as const;

export type PresetName = (typeof presetNames)[number];

export function isPreset(text: string): text is PresetName {
  return presetNames.some((name) => name === text);
}

/** Returns true if a preset lists a command with all of its options. */
export function presetCovers(preset: PresetName, command: PlainCommand): boolean {
  if (preset === 'testing') return isTesting(command);
  const reader = readerOf(command);
  const isGit = command[0]?.text === 'git';
  return reader !== undefined && isGit === (preset === 'git-reading') && fitsReader(reader, command.slice(1));
}

/** Returns true if a command only reads, as `reading` and `git-reading` list it. */
export function isReading(command: PlainCommand): boolean {
  return presetCovers('reading', command) || presetCovers('git-reading', command);
}

/** Returns the reader of a program that a preset lists; undefined for a program that no preset of readers contains. */
export function readerOf([program]: PlainCommand): Reader | undefined {
  if (program === undefined || program.isOpen) return undefined;
  return program.text === 'git' ? gitReader : readingPrograms.get(program.text);
}

/** Returns true if a command may walk through directories below its operands, as any program may that no preset knows. */
export function mayWalk(command: PlainCommand): boolean {
  const reader = readerOf(command);
  if (reader === undefined) return true;
  if (reader === gitReader) return compared(command.slice(1)) !== undefined;
  if (reader.walks === undefined || reader.walks === true) return reader.walks === true;
  const { walks } = reader;
  const args = readArguments(reader, command.slice(1));
  return args === undefined || args.options.some(({ name }) => walks.includes(name));
}
