import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { ModuleGraph } from './module-graph.ts';

/** Three files, each of which imports the next. */
function chain() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-graph-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const graph = new ModuleGraph();
  const [top, middle, bottom] = ['top.ts', 'middle.ts', 'bottom.ts'].map((name) =>
    graph.at(write(name, name)),
  ) as [ReturnType<ModuleGraph['at']>, ReturnType<ModuleGraph['at']>, ReturnType<ModuleGraph['at']>];
  graph.link(top, middle);
  graph.link(middle, bottom);
  return { graph, top, middle, bottom, write };
}

describe('a module that has not changed', () => {
  it('keeps its URL', () => {
    const { graph, top } = chain();
    graph.refresh(top);
    expect(top.url).toMatch(/top\.ts$/);
  });
});

describe('a module that has changed', () => {
  it('is imported again, and so is each that imports it; what it imports is not', () => {
    const { graph, top, middle, bottom, write } = chain();
    write('middle.ts', 'changed');
    graph.refresh(top);
    expect([top, middle].map(({ url }) => url)).toEqual([
      expect.stringMatching(/top\.ts\?shallot=1$/),
      expect.stringMatching(/middle\.ts\?shallot=1$/),
    ]);
    expect(bottom.url).toMatch(/bottom\.ts$/);
  });

  it('is linked by Node again; one that imports it is compiled as before', () => {
    const { graph, top, middle, write } = chain();
    top.isCompiled = true;
    middle.isCompiled = true;
    write('middle.ts', 'changed');
    graph.refresh(top);
    expect([top.isCompiled, middle.isCompiled]).toEqual([true, false]);
  });
});

describe('a module that is about to run', () => {
  it('runs all that it imports, but not those that import it', () => {
    const { graph, top, middle, bottom } = chain();
    expect([...graph.waiting(top)]).toEqual([top, middle, bottom]);
    graph.begin(middle);
    expect([top, middle, bottom].map(({ hasBegun }) => hasBegun)).toEqual([false, true, true]);
    expect([...graph.waiting(top)]).toEqual([top]);
  });

  it('runs what it imports at a later time', () => {
    const { graph, bottom, write } = chain();
    graph.begin(bottom);
    const late = graph.at(write('late.ts', ''));
    graph.link(bottom, late);
    expect(late.hasBegun).toBe(true);
  });
});
