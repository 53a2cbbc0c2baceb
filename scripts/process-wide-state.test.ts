import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { parseSync, type Node, type ParseResult } from 'oxc-parser';
import { expect, it } from 'vitest';

import { root } from './workspace.ts';

type Statement = ParseResult['program']['body'][number];

const decision = 'docs/decisions/process-wide-state.md';

/** Classes whose objects hold nothing for longer than those who use them: entries end with their key. */
const unheld =
  /^(?:WeakMap|WeakSet|AsyncLocalStorage|URL|RegExp|TextEncoder|TextDecoder|Segmenter|NumberFormat)$/;

it('the decision on what a process shares names every module that keeps something, and no other', () => {
  const keeping = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && keepsSomething(readFileSync(join(root, file), 'utf8')),
  );
  const text = readFileSync(join(root, decision), 'utf8');
  const named = Array.from(text.matchAll(/\]\((\S+\.ts)\)/g), ([, link = '']) =>
    relative(root, join(root, 'docs', 'decisions', link)),
  );
  expect(named.toSorted()).toEqual(keeping.toSorted());
});

function keepsSomething(source: string): boolean {
  // Most have nothing of the kind, and parsing takes its time.
  if (!/^(?:export )?(?:let|const \w+.*?=\s+(?:new |\[|\{))|^ +(?:private )?static /m.test(source))
    return false;
  const { program } = parseSync('module.ts', source);
  return program.body.some((statement) => {
    const declared = declarationOf(statement);
    if (declared?.type === 'ClassDeclaration') return declared.body.body.some(isStaticState);
    if (declared?.type !== 'VariableDeclaration' || declared.declare === true) return false;
    return (
      declared.kind === 'let' ||
      declared.declarations.some(({ id, init }) => id.type === 'Identifier' && isKept(init, id.name, source))
    );
  });
}

function declarationOf(statement: Statement): Node | null {
  return statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
}

function isStaticState(member: Node): boolean {
  return (
    member.type === 'PropertyDefinition' &&
    member.static &&
    (member.readonly !== true || member.value?.type === 'NewExpression')
  );
}

/** Returns true for an object of a class; for a map, set or list only if the module changes it. */
function isKept(init: Node | null, name: string, source: string): boolean {
  const isChanged = new RegExp(
    `\\b${name}\\.(?:set|add|push|delete|clear)\\(|\\b${name}\\[[^\\]]+\\] =(?!=)`,
  ).test(source);
  if (init?.type !== 'NewExpression') return isChanged && init?.type !== 'CallExpression';
  const { callee } = init;
  const made =
    callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? memberOf(callee) : '';
  if (made === 'Map' || made === 'Set') return isChanged;
  return !unheld.test(made);
}

function memberOf({ property }: { readonly property: Node }): string {
  return property.type === 'Identifier' ? property.name : '';
}
