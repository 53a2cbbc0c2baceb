import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parseSync, type Node } from 'oxc-parser';

/**
 * The way of a reader who starts at `runLoop` and, at each first call of a function that is passed the run, reads that
 * function.
 */
export interface Walk {
  /** The files that the reader visits, in order. */
  readonly stays: readonly string[];
  /** The number of times that the reader returns to a file. */
  readonly returns: number;
}

interface Source {
  /** Functions and classes, by name. */
  readonly declared: ReadonlyMap<string, Node>;
  /** The file and the name there, by local name. */
  readonly imported: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
}

/**
 * Follows the calls that pass on the parameter `run`, beginning in a function. A class that is passed the run is read
 * whole.
 */
export function walkOfRun(file: string, name: string): Walk {
  const sources = new Map<string, Source>();
  const read = new Set<string>();
  const stays: string[] = [];
  const sourceOf = (path: string): Source => {
    const source = sources.get(path) ?? readSource(path);
    sources.set(path, source);
    return source;
  };
  const stay = (path: string): void => {
    if (stays.at(-1) !== path) stays.push(path);
  };
  const walk = (path: string, declared: string): void => {
    const { file: at, name: own } = sourceOf(path).imported.get(declared) ?? { file: path, name: declared };
    const node = sourceOf(at).declared.get(own);
    if (node === undefined || read.has(`${at} ${own}`)) return;
    read.add(`${at} ${own}`);
    stay(at);
    const inherited =
      node.type === 'ClassDeclaration' && node.superClass !== null ? nameOf(node.superClass) : undefined;
    for (const called of [...(inherited === undefined ? [] : [inherited]), ...callsWithRun(node)]) {
      walk(at, called);
      stay(at);
    }
  };
  walk(file, name);
  return { stays, returns: stays.length - new Set(stays).size };
}

function readSource(path: string): Source {
  const declared = new Map<string, Node>();
  const imported = new Map<string, { readonly file: string; readonly name: string }>();
  for (const statement of parseSync(path, readFileSync(path, 'utf8')).program.body) {
    if (statement.type === 'ImportDeclaration' && statement.source.value.startsWith('.')) {
      const file = join(dirname(path), statement.source.value);
      for (const { local, ...specifier } of statement.specifiers)
        if (specifier.type === 'ImportSpecifier')
          imported.set(local.name, { file, name: nameOf(specifier.imported) ?? local.name });
    }
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration')
      if (declaration.id !== null) declared.set(declaration.id.name, declaration);
  }
  return { declared, imported };
}

/** Returns the names of the functions and classes that a piece of code passes the run to, in the order of the text. */
function callsWithRun(code: Node): string[] {
  const called: { readonly start: number; readonly name: string }[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isNode(value)) return undefined;
    if (value.type === 'CallExpression' || value.type === 'NewExpression') {
      const name = nameOf(value.callee);
      if (name !== undefined && value.arguments.some(isRun)) called.push({ start: value.start, name });
    }
    return Object.values(value).forEach(visit);
  };
  visit(code);
  return called.toSorted((a, b) => a.start - b.start).map(({ name }) => name);
}

/** Returns true for `run`, `this.run`, `this.#run`, `call.run`, and for an object literal that contains one of them. */
function isRun(node: Node): boolean {
  if (node.type === 'MemberExpression') return nameOf(node.property) === 'run';
  if (node.type === 'ObjectExpression')
    return node.properties.some((property) => property.type === 'Property' && isRun(property.value));
  return nameOf(node) === 'run';
}

function nameOf(node: Node): string | undefined {
  return node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? node.name : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
