import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { makeProject, type Project } from '../test/project.ts';

function makeAgent(): Project {
  return makeProject({
    'shallot.config.yaml': 'model: ./model.ts\n',
    'model.ts': 'export default { id: "a/b", generate() {} };',
  });
}

/** Runs the command with a home and a folder for temporary files of its own. Fails unless it works and warns of nothing. */
async function start(project: Project, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const home = join(project.folder, 'home');
  const temporary = join(project.folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const { status, stderr } = await project.run(['inspect'], {
    env: {
      NODE_COMPILE_CACHE: undefined,
      XDG_CACHE_HOME: undefined,
      LOCALAPPDATA: join(home, 'AppData', 'Local'),
      HOME: home,
      USERPROFILE: home,
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
      ...env,
    },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  // Where Node itself would keep it, anybody can put something.
  expect(existsSync(join(temporary, 'node-compile-cache'))).toBe(false);
}

/** Below the home, wherever this platform has its caches. */
function compiledIn(project: Project): string[] {
  const home = join(project.folder, 'home');
  return existsSync(home)
    ? readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('compiled'))
    : [];
}

describe('compiled code', () => {
  it("is kept in the user's cache folder for the next start", async () => {
    const project = makeAgent();
    await start(project);
    expect(compiledIn(project).length).toBeGreaterThan(1);
  });

  it('is not kept when Node is told not to', async () => {
    const project = makeAgent();
    await start(project, { NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(compiledIn(project)).toEqual([]);
  });

  it('is kept where the user tells Node to', async () => {
    const project = makeAgent();
    const named = join(project.folder, 'named');
    await start(project, { NODE_COMPILE_CACHE: named });
    expect(readdirSync(named)).not.toEqual([]);
    expect(compiledIn(project)).toEqual([]);
  });
});

// Elsewhere there are no modes and no XDG_CACHE_HOME.
describe.skipIf(process.platform === 'win32' || process.platform === 'darwin')('XDG_CACHE_HOME', () => {
  const prepare = (): { readonly project: Project; readonly folder: string; start(): Promise<void> } => {
    const project = makeAgent();
    const caches = join(project.folder, 'caches');
    const folder = join(caches, 'shallot', 'compiled');
    return { project, folder, start: () => start(project, { XDG_CACHE_HOME: caches }) };
  };

  it('is where compiled code is kept', async () => {
    const { folder, start } = prepare();
    await start();
    expect(readdirSync(folder)).not.toEqual([]);
  });

  it('is left alone when others can write there: what they put there would be run', async () => {
    const { folder, start } = prepare();
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    await start();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0)('is left alone when it belongs to another user', async () => {
    const { folder, start } = prepare();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chownSync(folder, 12_345, 12_345);
    await start();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('may be impossible to write to: the command does without', async () => {
    const { project, start } = prepare();
    writeFileSync(join(project.folder, 'caches'), 'a file');
    await start();
    expect(compiledIn(project)).toEqual([]);
  });
});
