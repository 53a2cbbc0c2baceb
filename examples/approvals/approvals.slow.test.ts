import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { sqliteStore } from '@shallot/core/sqlite';
import { answerInterrupts, pendingInterrupts } from '@shallot/core/work';
import { expect, it, onTestFinished } from 'vitest';

function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-approvals-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

function run(folder: string, program: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

const ending = `completed: That is what I did:
- A person changed this call. It became write_file with {"path":"/list.txt","content":"letters\\nbills\\n"}
wrote /list.txt
- The call of delete_file was rejected and not executed: I am not done with the letters

On the desk:
  letters.txt: "Dear Ada …\\n"
  list.txt: "letters\\nbills\\n"
`;

it('asks in one process, is answered in a second, and goes on in a third', () => {
  const folder = copyExample();
  expect(run(folder, 'begin.ts')).toBe('interrupted: 2 approvals are pending\n');
  expect(existsSync(join(folder, '.shallot/desk/list.txt'))).toBe(false);
  expect(run(folder, 'answer.ts')).toMatchInlineSnapshot(`
    "write_file
      --- /dev/null
      +++ /list.txt
      @@ -0,0 +1,2 @@
      +letters
      +bils
      → edit

    delete_file
      path: "/letters.txt"
      → reject

    "
  `);
  expect(run(folder, 'resume.ts')).toBe(ending);
});

it('is told of by npm start', () => {
  expect(run(copyExample(), 'start.ts')).toContain(ending);
});

it('comes to the same end when it is killed in between', async () => {
  const folder = copyExample();
  run(folder, 'begin.ts');
  run(folder, 'answer.ts');
  const database = join(folder, '.shallot/sessions.db');
  // From before the session is taken to after it is given back: wherever the run is when its time has come.
  for (let lifeMs = 60; ; lifeMs *= 1.3) {
    const child = spawn(process.execPath, ['--no-warnings', 'resume.ts'], { cwd: folder, stdio: 'ignore' });
    await Promise.race([once(child, 'exit'), sleep(lifeMs)]);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const store = sqliteStore(database);
    const record = await store.load('desk');
    await store.close?.();
    if (record?.run?.status === 'completed') break;
    // It goes on by itself: whoever has answered once is not asked again.
    expect(child.exitCode).toBe(null);
    expect(readFileSync(join(folder, '.shallot/desk/letters.txt'), 'utf8')).toBe('Dear Ada …\n');
  }
  const store = sqliteStore(database);
  const record = await store.load('desk');
  expect(record?.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'tool',
    'assistant',
  ]);
  expect(await pendingInterrupts(store, 'desk')).toEqual([]);
  await expect(answerInterrupts(store, 'desk', { int_old: { decision: 'approve' } })).rejects.toMatchObject({
    code: 'INTERRUPT_UNKNOWN',
  });
  await store.close?.();
  expect(readFileSync(join(folder, '.shallot/desk/list.txt'), 'utf8')).toBe('letters\nbills\n');
});
