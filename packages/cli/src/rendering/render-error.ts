import { join } from 'node:path';

import { isShallotError, type ShallotError } from '@shallot/core';
import { whereThrown } from '@shallot/core/command';
import { messageOf } from '@shallot/core/plugin';
import pc from 'picocolors';

import { formatPlace, shortPaths } from '../terminal/place.ts';
import type { Paint } from '../terminal/screen.ts';

export interface ErrorRendering {
  /** Paths below it are shown relative to it. */
  readonly cwd: string;
  readonly paint?: Paint;
  /** Adds stacks and causes. */
  readonly debug?: boolean;
}

/**
 * Renders an error as a line of the form `CODE [plugin hook] file:line:column: message`; a combined error as one per part.
 * An error without a code is rendered as its message.
 */
export function renderError(
  error: unknown,
  { cwd, paint = pc.createColors(false), debug = false }: ErrorRendering,
): string {
  const trace = debug ? `\n${paint.dim(stacks(error))}` : '';
  if (!isShallotError(error)) return `${shortPaths(messageOf(error), cwd)}${advice(error)}${trace}`;
  const single = singleErrors(error);
  const lines = single.map((one) => shallotErrorLine(one, cwd, paint));
  return `${lines.join('\n')}${trace}`;
}

/** Returns what to do about an error of the file system, whose message names the path; an empty string for other errors. */
function advice(error: unknown): string {
  return error instanceof Error && 'syscall' in error && 'path' in error
    ? '. Check what is there, and that you may read and write it.'
    : '';
}

/** Renders the stack and the causes. */
function stacks(error: unknown, depth = 0): string {
  if (depth > maxCauses) return '…';
  try {
    if (!(error instanceof Error)) return '';
    const { stack = messageOf(error), cause } = error;
    return cause === undefined
      ? stack
      : `${stack}\ncaused by ${stacks(cause, depth + 1) || messageOf(cause)}`;
  } catch {
    // A thrown value may have getters that throw.
    return '';
  }
}

/** The most causes that are followed, since errors may be each other's cause. */
const maxCauses = 10;

/** Returns the single errors of a combined error, or the error itself. */
function singleErrors(error: ShallotError): readonly ShallotError[] {
  return error.errors.length === 0 ? [error] : error.errors.flatMap(singleErrors);
}

function shallotErrorLine(error: ShallotError, cwd: string, paint: Paint): string {
  const { code, plugin, hook, at, message } = error;
  const where = [plugin, hook].filter((part) => part !== undefined).join(' ');
  const place = at === undefined ? '' : ` ${formatPlace(at, cwd)}`;
  return `${paint.bold(code)}${where === '' ? '' : ` [${where}]`}${place}: ${shortPaths(message, cwd)}${thrownIn(error, cwd)}`;
}

/** The directory of the command's own files: one level above this file, in sources and in the build. */
const ownFolder = join(import.meta.dirname, '..', '/');

/** Returns the location in the user's file that caused an error of a plugin, tool or model. */
function thrownIn({ cause, at }: ShallotError, cwd: string): string {
  const thrown = isShallotError(cause) && cause.at !== undefined ? undefined : whereThrown(cause);
  if (thrown === undefined || thrown.file.startsWith(ownFolder)) return '';
  return thrown.file === at?.file && thrown.line === at.line
    ? ''
    : ` (thrown at ${formatPlace(thrown, cwd)})`;
}
