import type { JsonValue, ToolCall } from '@shallot/core';
import { fitsPattern } from '@shallot/core/plugin';

import type { YamlValue } from './parse-yaml.ts';

/** An entry of `allowed-tools`: a tool and, with `argument`, a restriction on its calls. */
export interface ToolPattern {
  /** The entry as written: `Bash(git add:*)`. */
  readonly text: string;
  /** The tool: `Bash`. */
  readonly tool: string;
  /** The restriction: `git add:*`. */
  readonly argument?: string;
}

/**
 * Reads `allowed-tools`: patterns with spaces or commas between them, or a list of them. Anything that is not a
 * pattern is left out, so that it allows nothing.
 */
export function parseAllowedTools(value: YamlValue | undefined): readonly ToolPattern[] {
  if (value === undefined) return [];
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter(isText) : [];
  return texts.flatMap(splitPatterns).flatMap((text) => parsePattern(text) ?? []);
}

function isText(value: YamlValue): value is string {
  return typeof value === 'string';
}

/** Splits patterns at spaces and commas, except inside of parentheses. */
function splitPatterns(text: string): string[] {
  const patterns: string[] = [];
  let depth = 0;
  let current = '';
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')' && depth > 0) depth -= 1;
    const isBetween = depth === 0 && /[\s,]/.test(character);
    if (isBetween) patterns.push(current);
    current = isBetween ? '' : current + character;
  }
  return [...patterns, current].filter((pattern) => pattern !== '');
}

function parsePattern(text: string): ToolPattern | undefined {
  const [, tool, argument] = /^([\w.-]+)(?:\((.*)\))?$/s.exec(text) ?? [];
  if (tool === undefined) return undefined;
  const rest = argument?.trim();
  return rest === undefined || rest === '*' ? { text, tool } : { text, tool, argument: rest };
}

/**
 * Matches commands that a pattern may cover: without characters by which a shell could run a second command, expand a
 * variable or write to a file.
 */
const plainCommand = /^[\p{L}\p{M}\p{N} _.,:=@+~'"/-]*$/u;

/** Arguments beside the command that do not change what it does. */
const harmless: ReadonlySet<string> = new Set(['description', 'timeout', 'timeoutMs', 'timeout_ms']);

/**
 * Returns whether a pattern's argument covers a call. It is matched with the call's `command`: `git add:*` covers `git add` alone
 * or with more words, a `*` elsewhere stands for any text, anything else for itself. Uncertain calls are not covered.
 */
export function coversCall({ argument }: ToolPattern, { input }: ToolCall): boolean {
  if (argument === undefined) return true;
  const command = commandOf(input);
  if (command === undefined || !plainCommand.test(command)) return false;
  if (argument.endsWith(':*')) {
    const prefix = argument.slice(0, -2);
    return prefix !== '' && !prefix.includes('*') && (command === prefix || command.startsWith(`${prefix} `));
  }
  return fitsPattern(argument, command);
}

function commandOf(input: JsonValue): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const { command, ...rest } = input as Readonly<Record<string, JsonValue>>;
  if (typeof command !== 'string' || Object.keys(rest).some((key) => !harmless.has(key))) return undefined;
  return command;
}
