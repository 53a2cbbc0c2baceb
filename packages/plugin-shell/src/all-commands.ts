import {
  forEachChild,
  parse,
  type Command,
  type ParsedScript,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';

import type { Words } from './rule.ts';

/** Lines that are longer are not parsed: some take quadratic time. */
const maxLength = 8000;

/** A line as the parser reads it, or undefined if it does not understand it. */
export function parseLine(line: string): ParsedScript | undefined {
  if (line.length > maxLength) return undefined;
  const script = parse(line);
  return (script.errors ?? []).length === 0 ? script : undefined;
}

/**
 * The words of every command of a script, in substitutions, functions and here-documents too. Undefined if the parser
 * does not understand a part of it.
 */
export function allCommands(script: ParsedScript): readonly Words[] | undefined {
  const commands: Words[] = [];
  const open: SyntaxNode[] = [script];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('errors' in node && (node.errors ?? []).length > 0) return undefined;
    if ('script' in node && node.script === undefined) return undefined;
    if (node.type === 'Command') commands.push(wordsOf(node));
    forEachChild(node, (child) => open.push(child));
  }
  return commands;
}

/** The values that a script assigns to variables, as far as they are known. */
export function assignedValues(script: ParsedScript): readonly string[] {
  const values: string[] = [];
  const open: SyntaxNode[] = [script];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const value = node.type === 'Assignment' && node.value.type === 'Word' && knownValue(node.value);
    if (typeof value === 'string') values.push(value);
    forEachChild(node, (child) => open.push(child));
  }
  return values;
}

function wordsOf({ name, args }: Command): Words {
  if (name === undefined) return [];
  return [name, ...args].map((word) => {
    if (word.type === 'Word') return knownValue(word);
    const value = word.value.type === 'Word' ? knownValue(word.value) : undefined;
    return value === undefined ? undefined : `${word.name}=${value}`;
  });
}

function knownValue({ value, parts = [] }: Word): string | undefined {
  return parts.every(isKnown) ? value : undefined;
}

function isKnown(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.every(isKnown);
    default:
      return false;
  }
}
