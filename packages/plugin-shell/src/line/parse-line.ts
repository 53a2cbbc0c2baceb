import {
  forEachChild,
  parse,
  type Command,
  type ParsedScript,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';

import type { Words } from './words.ts';

/** The longest line that is parsed, because some lines take quadratic time. */
const maxLength = 8000;

/** Parses a line. Returns undefined if it is too long, or if the parser does not understand it. */
export function parseLine(line: string): ParsedScript | undefined {
  if (line.length > maxLength) return undefined;
  const script = parse(line);
  return (script.errors ?? []).length === 0 ? script : undefined;
}

/**
 * Returns the parts of a script that pass no data to each other; the whole script if one part may write a file for
 * the next.
 */
export function separateParts(script: ParsedScript): readonly SyntaxNode[] {
  const isWriting = (node: SyntaxNode): boolean =>
    node.type === 'Redirect' &&
    node.operator.includes('>') &&
    !/^(?:\/dev\/null|[012-])$/.test(node.target?.text ?? '');
  if (nodesOf(script).some(isWriting)) return [script];
  return script.commands.flatMap(({ command }) => (command.type === 'AndOr' ? command.commands : [command]));
}

function nodesOf(start: SyntaxNode): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const open: SyntaxNode[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node);
    forEachChild(node, (child) => open.push(child));
  }
  return nodes;
}

/**
 * Returns the words of every command of a script, including those in substitutions, functions and here-documents.
 * Returns undefined if the parser does not understand a part of it.
 */
export function allCommands(script: SyntaxNode): readonly Words[] | undefined {
  const nodes = nodesOf(script);
  const isUnknown = (node: SyntaxNode): boolean =>
    ('errors' in node && (node.errors ?? []).length > 0) || ('script' in node && node.script === undefined);
  if (nodes.some(isUnknown)) return undefined;
  return nodes.flatMap((node) => (node.type === 'Command' ? [wordsOf(node)] : []));
}

/** Returns the values that a script assigns to variables, if they are known. */
export function assignedValues(script: ParsedScript): readonly string[] {
  return nodesOf(script).flatMap((node) => {
    const value = node.type === 'Assignment' && node.value.type === 'Word' && knownValue(node.value);
    return typeof value === 'string' ? [value] : [];
  });
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
