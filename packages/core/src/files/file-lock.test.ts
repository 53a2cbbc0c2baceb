import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { newClaim } from '../base/claim.ts';
import { withFileLock } from './file-lock.ts';
import { OpenDirectory } from './open-directory.ts';

function makeRoot() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-lock-')));
  const directory = OpenDirectory.root(root);
  onTestFinished(() => {
    directory.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { root, place: { directory, name: 'notes.md' } };
}

/** The name of the lock of a file. */
async function lockName(name = 'notes.md'): Promise<string> {
  const { root, place } = makeRoot();
  return withFileLock({ ...place, name }, `/${name}`, () => readdirSync(root)[0] ?? '');
}

/** A place whose lock has this content, and was written so long ago. */
async function lockedRoot(content: object | string, ageMs = 0) {
  const { root, place } = makeRoot();
  const lock = join(root, await lockName());
  const write = (path: string, text: object | string): void =>
    writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text));
  write(lock, content);
  const time = (Date.now() - ageMs) / 1000;
  utimesSync(lock, time, time);
  return { root, place, lock, steal: (text: object | string) => write(`${lock}.steal`, text) };
}

const gone = { owner: '0123456789abcdef', host: 'elsewhere', pid: 1, expiresAt: Date.now() - 1 };
const alive = (): object => newClaim('fedcba9876543210', 60_000);

describe('a lock', () => {
  it('is held by one writer at a time', async () => {
    const { root, place } = makeRoot();
    const order: string[] = [];
    const write = (name: string) => async (): Promise<void> => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    await Promise.all(['a', 'b'].map((name) => withFileLock(place, '/notes.md', write(name))));
    expect(order.map((line) => line.split(' ')[1])).toEqual(['begins', 'ends', 'begins', 'ends']);
    expect(readdirSync(root)).toEqual([]);
  });

  it('is free again when its user fails', async () => {
    const { root, place } = makeRoot();
    const failing = withFileLock(place, '/notes.md', () => Promise.reject(new Error('full')));
    await expect(failing).rejects.toThrow('full');
    expect(readdirSync(root)).toEqual([]);
  });

  it('says for a minute who holds it, to its owner alone', async () => {
    const { root, place } = makeRoot();
    const before = Date.now();
    const [text, mode, temporary] = await withFileLock(place, '/notes.md', (path) => {
      const lock = join(root, readdirSync(root)[0] ?? '');
      return [readFileSync(lock, 'utf8'), statSync(lock).mode & 0o777, path] as const;
    });
    const claim = JSON.parse(text) as ReturnType<typeof newClaim>;
    expect(claim).toMatchObject({
      owner: expect.stringMatching(/^[\da-f]{16}$/) as string,
      pid: process.pid,
    });
    expect(claim.expiresAt - before).toBeGreaterThanOrEqual(60_000);
    expect(claim.expiresAt - Date.now()).toBeLessThanOrEqual(60_000);
    expect(temporary).toBe(place.directory.entry(`.shallot-${claim.owner}.tmp`));
    expect(process.platform === 'win32' ? 0o600 : mode).toBe(0o600);
  });

  it('is the same for all spellings that a file system may take for one name', async () => {
    const name = await lockName('Caf\u00e9.md');
    expect(name).toMatch(/^\.shallot-[\da-f]{16}\.lock$/);
    for (const same of ['cafe\u0301.MD', 'CAF\u00c9.md']) expect(await lockName(same)).toBe(name);
    expect(await lockName('Cafe.md')).not.toBe(name);
  });

  it('that another writer took meanwhile is left to it', async () => {
    const { root, place } = makeRoot();
    const name = await lockName();
    await withFileLock(place, '/notes.md', () => writeFileSync(join(root, name), JSON.stringify(alive())));
    expect(readdirSync(root)).toEqual([name]);
  });
});

describe('a lock that is left over', () => {
  it.each<readonly [string, object | string, number]>([
    ['of a process that is gone', gone, 0],
    ['that is older than a minute, whoever has it', alive(), 60_000],
    ['that was not written for a second', '', 1000],
    ['that was not written to its end for a second', '{"owner":"a', 1000],
  ])('%s is taken over', async (_, content, ageMs) => {
    const { root, place } = await lockedRoot(content, ageMs);
    expect(await withFileLock(place, '/notes.md', () => 'written')).toBe('written');
    expect(readdirSync(root)).toEqual([]);
  });

  it('is taken over with what its process left, but not with other files', async () => {
    const { root, place } = await lockedRoot(gone);
    writeFileSync(join(root, `.shallot-${gone.owner}.tmp`), 'half');
    writeFileSync(join(root, '.shallot-x.tmp'), 'mine');
    await withFileLock(place, '/notes.md', () => {});
    const other = await lockedRoot({ ...gone, owner: 'x' });
    writeFileSync(join(other.root, '.shallot-x.tmp'), 'mine');
    await withFileLock(other.place, '/notes.md', () => {});
    expect([readdirSync(root), readdirSync(other.root)]).toEqual([['.shallot-x.tmp'], ['.shallot-x.tmp']]);
  });

  it('is taken over by one writer of many, also if one died over that', async () => {
    const { root, place, steal } = await lockedRoot(gone);
    steal({ ...gone, owner: 'fedcba9876543210' });
    let users = 0;
    const uses = Array.from({ length: 5 }, () =>
      withFileLock(place, '/notes.md', async () => {
        users += 1;
        await Promise.resolve();
        expect(users).toBe(1);
        users -= 1;
      }),
    );
    await Promise.all(uses);
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('a lock that is held', () => {
  it.each<readonly [string, object | string, number]>([
    ['by a process that lives', alive(), 0],
    ['for almost a minute', alive(), 59_000],
    ['by one that is just writing it', '', 0],
  ])('%s is waited for', async (_, content, ageMs) => {
    const { root, place, lock } = await lockedRoot(content, ageMs);
    const done: string[] = [];
    const using = withFileLock(place, '/notes.md', () => void done.push('used'));
    await sleep(30);
    done.push('freed');
    rmSync(lock);
    await using;
    expect(done).toEqual(['freed', 'used']);
    expect(readdirSync(root)).toEqual([]);
  });

  it('by a process that is taking over that of another is waited for', async () => {
    const { root, place, lock, steal } = await lockedRoot(gone);
    steal(alive());
    const done: string[] = [];
    const using = withFileLock(place, '/notes.md', () => void done.push('used'));
    await sleep(30);
    done.push('freed');
    rmSync(`${lock}.steal`);
    await using;
    expect(done).toEqual(['freed', 'used']);
    expect(readdirSync(root)).toEqual([]);
  });

  it('is given up after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { place, lock } = await lockedRoot(newClaim('another', 60_000));
    const now = Date.now();
    const failed: unknown[] = [];
    const using = withFileLock(place, '/notes.md', () => {}).catch((error: unknown) => failed.push(error));
    vi.setSystemTime(now + 10_000);
    await sleep(50);
    expect(failed).toEqual([]);
    vi.setSystemTime(now + 10_001);
    await using;
    expect(failed).toMatchObject([
      {
        code: 'FILE_FAILED',
        transient: true,
        message: `Could not write "/notes.md": process ${process.pid} has been writing it for 10 seconds. Try again later.`,
      },
    ]);
    expect(readFileSync(lock, 'utf8')).toContain('another');
  });
});

it('what cannot be read as a lock fails the writer at once', async () => {
  const { root, place } = makeRoot();
  mkdirSync(join(root, await lockName()));
  await expect(withFileLock(place, '/notes.md', () => 'written')).rejects.toThrow('EISDIR');
});

it('a lock that cannot be made fails the writer at once', async () => {
  const { root, place } = makeRoot();
  rmSync(root, { recursive: true });
  await expect(withFileLock(place, '/notes.md', () => 'written')).rejects.toThrow('ENOENT');
});
