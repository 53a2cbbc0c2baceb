import { CommandFailure } from './command-failure.ts';
import { exitStatus } from './exit-status.ts';
import { visibleLine } from './visible.ts';

/** Parses a positive integer of an option. Throws a usage failure. */
export function readCount(option: string, text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count > 0 && Number.isSafeInteger(count)) return count;
  throw new CommandFailure(
    exitStatus.usage,
    `${option} is "${visibleLine(text)}"; write a whole number of at least 1.`,
  );
}
