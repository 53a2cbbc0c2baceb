import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { endProcess } from './end-process.ts';

/** A process that ignores the end of its stdin, or ends with it. */
async function start(program: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', `console.log('ready'); ${program}`], { detached: true });
  await once(child.stdout, 'data');
  return child;
}

const stubborn = 'process.stdin.resume(); setInterval(() => {}, 1000);';
const obedient = "process.stdin.resume().on('end', () => process.exit(3));";

describe('the end of a process', () => {
  it('is TERM on POSIX, where the end of stdin is ignored', async () => {
    const child = await start(stubborn);
    await endProcess(child, 'linux');
    expect(child.signalCode).toBe('SIGTERM');
  });

  it.skipIf(process.platform === 'win32')('is taskkill of the whole tree on Windows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'shallot-taskkill-'));
    const { PATH } = process.env;
    process.env['PATH'] = [folder, PATH].join(delimiter);
    onTestFinished(() => {
      process.env['PATH'] = PATH;
      rmSync(folder, { recursive: true });
    });
    writeFileSync(join(folder, 'taskkill'), `#!/bin/sh\necho "$@" > ${folder}/called\nkill -9 "$2"\n`);
    chmodSync(join(folder, 'taskkill'), 0o755);

    const child = await start(stubborn);
    await endProcess(child, 'win32');
    expect(child.signalCode).toBe('SIGKILL');
    expect(readFileSync(join(folder, 'called'), 'utf8').trim()).toBe(`/pid ${child.pid} /T /F`);
  });

  it.each(['linux', 'win32'] as const)(
    'is left to a process that ends with its stdin (%s)',
    async (platform) => {
      const child = await start(obedient);
      await endProcess(child, platform);
      expect(child.exitCode).toBe(3);
    },
  );
});
