import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parseSync, Visitor, type Node, type ParseResult } from 'oxc-parser';

import type { WorkspacePackage } from './workspace.ts';

type Statement = ParseResult['program']['body'][number];

/** A name in a declaration file: declared there, or imported from another file. */
type Binding =
  | { readonly text: string; readonly node: Node; readonly hasDocstring: boolean }
  | { readonly from: string; readonly imported: string };

interface Module {
  readonly file: string;
  readonly bindings: ReadonlyMap<string, Binding>;
  /** The local name of each export, or the file and name that it is re-exported from. */
  readonly exports: ReadonlyMap<string, string | { readonly from: string; readonly imported: string }>;
}

/**
 * Returns the public declarations of a built package as one text without comments: the exports of each entry, and then,
 * sorted by name, all declarations that these refer to. If two builds have the same text, no user can tell their types
 * apart.
 */
export function publicApi({ folder, manifest }: WorkspacePackage): string {
  const reader = new DeclarationReader();
  const sections = Object.entries(manifest.publishConfig?.exports ?? {}).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return [];
    const names = reader.reach(join(folder, target.types));
    return [`// ${join(manifest.name, subpath)}\nexport {\n  ${names.toSorted().join(',\n  ')},\n};`];
  });
  return `${[...sections, ...reader.declarations()].join('\n\n')}\n`;
}

/** Returns the exports of a package's sources that have no docstring, such as `@shallot/core/store: Claim`. */
export function namesWithoutDocstring({ folder, manifest }: WorkspacePackage): string[] {
  const reader = new DeclarationReader();
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, path]) =>
    path.endsWith('.ts')
      ? reader
          .exportsWithoutDocstring(join(folder, path))
          .map((name) => `${join(manifest.name, subpath)}: ${name}`)
      : [],
  );
}

class DeclarationReader {
  readonly #modules = new Map<string, Module>();
  /** The declarations that the exports refer to, by file and name. */
  readonly #reached = new Map<string, { readonly name: string; readonly text: string }>();

  /** Collects the declarations that the exports of a file refer to. Returns the names of the exports. */
  reach(file: string): string[] {
    const names = [...this.#module(file).exports.keys()];
    for (const name of names) this.#reachExport(file, name);
    return names;
  }

  declarations(): string[] {
    return [...this.#reached.values()]
      .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
      .map(({ text }) => text);
  }

  exportsWithoutDocstring(file: string): string[] {
    return [...this.#module(file).exports.keys()].filter((name) => !this.#hasDocstring(file, name));
  }

  /** Names from other packages are checked there, so they count as documented. */
  #hasDocstring(file: string, name: string): boolean {
    const { exports, bindings } = this.#module(file);
    const exported = exports.get(name);
    const binding = typeof exported === 'string' ? bindings.get(exported) : exported;
    if (binding === undefined) throw new Error(`${file} does not export ${name}`);
    if (!('from' in binding)) return binding.hasDocstring;
    if (!binding.from.startsWith('.')) return true;
    return this.#hasDocstring(declarationFile(file, binding.from), binding.imported);
  }

  #reachExport(file: string, name: string): void {
    const exported = this.#module(file).exports.get(name);
    if (exported === undefined) throw new Error(`${file} does not export ${name}`);
    if (typeof exported === 'string') this.#reachLocal(file, exported);
    else this.#follow(file, exported);
  }

  #reachLocal(file: string, name: string): void {
    const key = `${file} ${name}`;
    const { bindings } = this.#module(file);
    const binding = bindings.get(name);
    if (binding === undefined || this.#reached.has(key)) return;
    if ('from' in binding) return this.#follow(file, binding);
    this.#reached.set(key, { name, text: binding.text });
    for (const mentioned of identifiersIn(binding.node)) this.#reachLocal(file, mentioned);
  }

  #follow(file: string, { from, imported }: { readonly from: string; readonly imported: string }): void {
    // Other packages have their own record.
    if (!from.startsWith('.')) return;
    const target = declarationFile(file, from);
    if (imported === '*') this.reach(target);
    else this.#reachExport(target, imported);
  }

  #module(file: string): Module {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const module = readModule(file);
    this.#modules.set(file, module);
    return module;
  }
}

function declarationFile(importer: string, specifier: string): string {
  return join(dirname(importer), specifier.replace(/\.js$/, '.d.ts'));
}

function readModule(file: string): Module {
  const source = readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const bindings = new Map<string, Binding>();
  const exports = new Map<string, string | { from: string; imported: string }>();
  const hasDocstringBefore = (start: number): boolean =>
    comments.some(
      ({ type, value, end }) =>
        type === 'Block' && value.startsWith('*') && end <= start && source.slice(end, start).trim() === '',
    );
  const declare = (node: Node, statement: Statement): void => {
    const inside = comments.filter(({ start, end }) => start >= statement.start && end <= statement.end);
    const text = withoutRanges(source, statement, inside);
    for (const name of declaredNames(node)) {
      const known = bindings.get(name);
      // Overloads share a name, and the first one has the docstring.
      const isDescribed = known !== undefined && 'hasDocstring' in known && known.hasDocstring;
      bindings.set(name, { text, node, hasDocstring: isDescribed || hasDocstringBefore(statement.start) });
    }
  };
  for (const statement of program.body) {
    switch (statement.type) {
      case 'ImportDeclaration':
        for (const one of statement.specifiers) {
          const isWhole = one.type === 'ImportNamespaceSpecifier';
          const imported = one.type === 'ImportSpecifier' ? nameOf(one.imported) : isWhole ? '*' : 'default';
          bindings.set(one.local.name, { from: statement.source.value, imported });
        }
        break;
      case 'ExportNamedDeclaration':
        if (statement.declaration !== null) {
          declare(statement.declaration, statement);
          for (const name of declaredNames(statement.declaration)) exports.set(name, name);
        }
        for (const { local, exported } of statement.specifiers) {
          const from = statement.source?.value;
          const imported = nameOf(local);
          exports.set(nameOf(exported), from === undefined ? imported : { from, imported });
        }
        break;
      case 'ExportDefaultDeclaration':
        declare(statement.declaration, statement);
        exports.set(
          'default',
          statement.declaration.type === 'Identifier' ? statement.declaration.name : 'default',
        );
        break;
      case 'ExportAllDeclaration':
        throw new Error(`${file} exports all of ${statement.source.value}; list the names`);
      default:
        declare(statement, statement);
    }
  }
  return { file, bindings, exports };
}

function nameOf(name: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return name.name ?? String(name.value);
}

function declaredNames(node: Node): string[] {
  if (node.type === 'VariableDeclaration') {
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  }
  return 'id' in node && node.id?.type === 'Identifier' ? [node.id.name] : [];
}

function identifiersIn(node: Node): Set<string> {
  const names = new Set<string>();
  const note = ({ name }: { readonly name: string }): unknown => names.add(name);
  new Visitor({ Identifier: note }).visit({ type: 'Program', body: [node], start: 0, end: 0 } as never);
  return names;
}

/** Returns the text of a statement without comments, and without the blank lines that these leave. */
function withoutRanges(
  source: string,
  { start, end }: { readonly start: number; readonly end: number },
  ranges: readonly { readonly start: number; readonly end: number }[],
): string {
  let text = '';
  let from = start;
  for (const range of ranges) {
    text += source.slice(from, range.start);
    from = range.end;
  }
  return (text + source.slice(from, end)).replace(/^\s*\n/gm, '').trim();
}
