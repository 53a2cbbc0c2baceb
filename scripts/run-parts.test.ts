import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseSync, Visitor, type Node } from 'oxc-parser';
import { expect, it } from 'vitest';

import { walkOfRun } from './walk-of-a-run.ts';
import { root } from './workspace.ts';

const core = join(root, 'packages/core/src');
const sources = globSync('**/*.ts', { cwd: core })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(core, file), 'utf8') }));
const run = sources.filter(({ file }) => file.startsWith('run/'));

/** The files whose functions take a run whole: its loop, its end, what plugins see of it, and its conductors. */
const takers = [
  'agent-runs.ts',
  'run/finish-run.ts',
  'run/loop.ts',
  'run/run-view.ts',
  'run/surround-run.ts',
];

/** Interfaces with more than six members, which are no bags that functions hand on. */
const large: Readonly<Record<string, string>> = {
  AgentParts: 'the options of an agent, with defaults filled in, and what its plugins registered',
  HookSpec: 'how one hook is called; most of it is optional',
  LivePlugins: 'the methods of the plugin host that runs call',
};

it('only the loop, the end, the view and the conductors of a run take it whole', () => {
  const taking = sources.filter(({ file, text }) =>
    parametersIn(file, text).some((parameter) => /: ActiveRun\b(?! \|)/.test(parameter)),
  );
  expect(taking.map(({ file }) => file).toSorted()).toEqual(takers);
});

it('no type is derived from a run', () => {
  const derived =
    /\b(?:Pick|Omit|Partial|Required|Extract|Exclude)<\s*(?:ActiveRun|RunParts)\b|\b(?:ActiveRun|RunParts)\[/;
  expect(run.length).toBeGreaterThan(50);
  expect(sources.filter(({ text }) => derived.test(text)).map(({ file }) => file)).toEqual([]);
});

it('a run has six parts, and no bag has more members', () => {
  const counted = run.flatMap(({ file, text }) => membersIn(file, text));
  const parts = counted.filter(({ name }) => name === 'ActiveRun' || name === 'RunParts');
  expect(parts.map(({ name, members }) => ({ name, members }))).toEqual([
    { name: 'ActiveRun', members: 6 },
    { name: 'RunParts', members: 5 },
  ]);
  const above = counted.filter(({ type, members }) => type === 'TSInterfaceDeclaration' && members > 6);
  expect(above.map(({ name }) => name).toSorted()).toEqual(Object.keys(large));
});

it('no file of a run has more than 320 lines, comments included', () => {
  const long = run.filter(({ text }) => text.trimEnd().split('\n').length > 320);
  expect(long.map(({ file }) => file)).toEqual([]);
});

it('the walk of a reader from runLoop returns to few files that it has left', () => {
  const { stays, returns } = walkOfRun(join(core, 'run/loop.ts'), 'runLoop');
  const files = stays.map((file) => file.slice(core.length + 1));
  expect(files).toEqual(expect.arrayContaining(['run/model/model-turn.ts', 'run/tools/tool-call-state.ts']));
  // Lower it when you can; 45 is the most.
  expect(returns).toBeLessThanOrEqual(38);
});

/** Returns the text of each parameter of the functions and methods in a file that names the run. */
function parametersIn(file: string, text: string): string[] {
  const found: string[] = [];
  if (!text.includes('ActiveRun')) return found;
  const note = ({ params }: { readonly params: readonly Node[] }): void => {
    found.push(...params.map(({ start, end }) => text.slice(start, end)));
  };
  new Visitor({
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
  }).visit(parseSync(file, text).program);
  return found;
}

interface Members {
  readonly name: string;
  readonly type: 'ClassDeclaration' | 'TSInterfaceDeclaration';
  readonly members: number;
}

/** Counts the members of interfaces, and the public ones of classes. */
function membersIn(file: string, text: string): Members[] {
  const found: Members[] = [];
  new Visitor({
    TSInterfaceDeclaration({ type, id, body }) {
      found.push({ name: id.name, type, members: body.body.length });
    },
    ClassDeclaration({ id, body }) {
      const members = body.body.filter(
        (member) =>
          'key' in member &&
          member.key.type === 'Identifier' &&
          member.key.name !== 'constructor' &&
          !('static' in member && member.static),
      );
      if (id !== null) found.push({ name: id.name, type: 'ClassDeclaration', members: members.length });
    },
  }).visit(parseSync(file, text).program);
  return found;
}
