import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { isThorough } from '../../../../scripts/is-thorough.ts';
import type { Project } from '../../test/project.ts';
import { publishPlugin, registryProject, startRegistry, type TestRegistry } from '../../test/registry.ts';

/** Counts what the command does to files, and does something at one of these steps; at the end it says how many there were. */
const meddler = `
import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const [kind, at] = (process.env.MEDDLE ?? '').split(':');
// Not in the start of the agent, by which nothing is changed.
if (process.argv[1]?.endsWith('/main.ts') && process.argv[2] === 'add') {
  let count = 0;
  for (const name of ['mkdirSync', 'writeFileSync', 'copyFileSync', 'renameSync', 'rmSync']) {
    const real = fs[name];
    fs[name] = (...args) => {
      if (String(args[0]).endsWith('steps.txt')) return real(...args);
      count += 1;
      if (kind === 'full' && count >= Number(at) && !['renameSync', 'rmSync'].includes(name)) {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      }
      if (kind !== 'full' && count === Number(at)) process.kill(process.pid, kind);
      return real(...args);
    };
  }
  syncBuiltinESMExports();
  process.on('exit', () => writeFileSync(process.env.STEPS, String(count)));
}
`;

const stride = isThorough ? 1 : 6;

/** Returns the first of the points to try: in time, all of them are tried. */
function firstOf(): number {
  return 1 + Math.floor(Math.random() * stride);
}

interface Sweep {
  readonly registry: TestRegistry;
  readonly project: Project;
  /** The files that are kept, as they are. */
  readonly files: () => readonly string[];
  /** Puts the project back to how it began. */
  readonly reset: () => void;
  readonly add: (env?: Readonly<Record<string, string>>) => ReturnType<Project['run']>;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The number of steps of an undisturbed change. */
  readonly steps: number;
  /** The number of its requests. */
  readonly requests: number;
}

const names = ['package.json', 'pnpm-lock.yaml', 'shallot.config.yaml', '.shallot/config.schema.json'];

async function prepare(): Promise<Sweep> {
  const registry = await startRegistry();
  publishPlugin(registry, 'shallot-plugin-tickets', '1.0.0');
  const project = registryProject(registry, {
    'meddle.mjs': meddler,
    '.shallot/config.schema.json': '{}\n',
  });
  const path = (name: string): string => join(project.folder, name);
  const files = (): string[] => names.map((name) => readFileSync(path(name), 'utf8'));
  const add: Sweep['add'] = (env = {}) =>
    project.run(['add', 'tickets'], {
      env: {
        NODE_OPTIONS: `--import=${pathToFileURL(path('meddle.mjs')).href}`,
        STEPS: path('steps.txt'),
        ...env,
      },
    });
  const before = files();
  const reset = (): void => {
    for (const name of ['node_modules', '.shallot']) rmSync(path(name), { recursive: true, force: true });
    project.write(Object.fromEntries(names.map((name, index) => [name, before[index] ?? ''])));
  };
  reset();
  expect(await add()).toMatchObject({ status: 0 });
  const steps = Number(readFileSync(path('steps.txt'), 'utf8'));
  const sweep = { registry, project, files, reset, add, before, after: files(), steps };
  return { ...sweep, requests: registry.requests.length };
}

/** The command says that the change is made; it may be stopped while the agent is started. */
function isMade({ status, stderr }: { readonly status: number; readonly stderr: string }): boolean {
  return status === 0 || stderr.includes('Stopped: the change is made.');
}

/** All as it was, or all as it is to be. */
function expectWhole({ files, before, after, project }: Sweep): void {
  expect([before, after]).toContainEqual(files());
  expect(existsSync(join(project.folder, '.shallot/change/change.json'))).toBe(false);
}

describe('a change of a project', () => {
  it('has more than twenty points at which it can be cut off', async () => {
    const { steps, requests } = await prepare();
    expect(steps + requests).toBeGreaterThan(20);
  });

  it.each(['SIGINT', 'SIGTERM', 'full'])('is whole or not there at all (%s, at any step)', async (kind) => {
    const sweep = await prepare();
    for (let step = firstOf(); step <= sweep.steps; step += stride) {
      sweep.reset();
      const { status, stderr } = await sweep.add({ MEDDLE: `${kind}:${step}` });
      expectWhole(sweep);
      const isDone = sweep.files()[0] === sweep.after[0];
      expect({ step, ok: isMade({ status, stderr }), stderr }).toEqual({ step, ok: isDone, stderr });
      expect(await sweep.project.run(['inspect'])).toMatchObject({ status: 0 });
    }
  });

  it('is whole or not there when it is stopped while the registry is asked', async () => {
    const sweep = await prepare();
    for (let request = firstOf(); request <= sweep.requests; request += stride) {
      sweep.reset();
      const running = sweep.project.start(['add', 'tickets']);
      let count = 0;
      sweep.registry.answer = () => {
        count += 1;
        if (count === request) running.child.kill('SIGINT');
        return false;
      };
      const ended = await running.ended;
      delete sweep.registry.answer;
      expectWhole(sweep);
      expect({ request, ok: isMade(ended) }).toEqual({ request, ok: sweep.files()[0] === sweep.after[0] });
    }
  });

  it('leaves a config that loads when it is killed, and the next command puts the rest right', async () => {
    const sweep = await prepare();
    for (let step = firstOf(); step <= sweep.steps; step += stride) {
      sweep.reset();
      expect(await sweep.add({ MEDDLE: `SIGKILL:${step}` })).toMatchObject({ status: 137 });
      expect(await sweep.project.run(['inspect'])).toMatchObject({ status: 0 });
      const isLeft = existsSync(join(sweep.project.folder, '.shallot/change/change.json'));
      const { stdout } = await sweep.project.run(['doctor']);
      expect(stdout.includes('CHANGE_UNFINISHED')).toBe(isLeft);
      expect({ step, ...(await sweep.add()) }).toMatchObject({ step, status: 0 });
      expect(sweep.files()).toEqual(sweep.after);
      expectWhole(sweep);
    }
  });
});
