import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { Files } from '@shallot/core/files';
import { diskFiles, memoryFiles } from '@shallot/core/files';
import { describe, expect, it, onTestFinished } from 'vitest';

import { loadSkills, type SkillSet } from './load-skills.ts';

const skill = (name: string, description = `Does ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`;

/** A directory with these files in it, gone when the test is over. */
function newRoot(contents: Readonly<Record<string, string | Uint8Array>> = {}): {
  root: string;
  files: Files;
} {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-skills-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return { root, files: diskFiles(root) };
}

function names({ skills }: SkillSet): string[] {
  return [...skills.keys()];
}

/** Counts what is asked of files. */
function counting(files: Files): {
  readonly files: Files;
  readonly counts: { list: number; stat: number; read: number };
} {
  const counts = { list: 0, stat: 0, read: 0 };
  const counted: Files = {
    ...files,
    list: (...args) => {
      counts.list += 1;
      return files.list(...args);
    },
    stat: (...args) => {
      counts.stat += 1;
      return files.stat(...args);
    },
    readText: (...args) => {
      counts.read += 1;
      return files.readText(...args);
    },
  };
  return { files: counted, counts };
}

describe('sources', () => {
  it('are directories of skills, or of one skill; what is not a skill is passed over', async () => {
    const { files } = newRoot({
      'skills/b/SKILL.md': skill('b'),
      'skills/a/SKILL.md': skill('a'),
      'skills/README.md': '# Skills',
      'skills/shared/data.csv': 'x',
      'skills/.git/SKILL.md': skill('git'),
      'one/SKILL.md': skill('one'),
      'one/inner/SKILL.md': skill('inner'),
    });
    const set = await loadSkills(files, ['/skills', '/one']);
    expect(names(set)).toEqual(['a', 'b', 'one']);
    expect(set.notices).toEqual([
      {
        kind: 'nested',
        path: '/one/inner/SKILL.md',
        reason: expect.stringContaining('within another skill') as string,
      },
    ]);
    expect(set.skills.get('a')).toMatchObject({
      description: 'Does a.',
      path: '/skills/a/SKILL.md',
      directory: '/skills/a',
      source: '/skills',
    });
    expect(set.skills.get('one')).toMatchObject({ directory: '/one', source: '/one' });
  });

  it('win over earlier ones by name, which is said of what they replace', async () => {
    const { files } = newRoot({
      'ours/pdf/SKILL.md': skill('pdf', 'ours'),
      'theirs/pdf/SKILL.md': skill('pdf', 'theirs'),
      'mine/acrobat/SKILL.md': skill('pdf', 'mine'),
    });
    const set = await loadSkills(files, ['/ours', '/theirs', '/mine']);
    expect(set.skills.get('pdf')?.description).toBe('mine');
    expect(set.notices.filter(({ kind }) => kind === 'shadowed')).toEqual([
      { kind: 'shadowed', name: 'pdf', path: '/ours/pdf/SKILL.md', by: '/theirs/pdf/SKILL.md' },
      { kind: 'shadowed', name: 'pdf', path: '/theirs/pdf/SKILL.md', by: '/mine/acrobat/SKILL.md' },
    ]);
  });

  it('may be the root', async () => {
    const { files } = newRoot({ 'a/SKILL.md': skill('a') });
    expect(names(await loadSkills(files, ['/']))).toEqual(['a']);
  });

  it('that are missing, empty, files or unreadable are said, and the others count', async () => {
    const { root, files } = newRoot({
      'skills/a/SKILL.md': skill('a'),
      'file.md': 'x',
      'locked/b/SKILL.md': skill('b'),
    });
    mkdirSync(join(root, 'empty'));
    chmodSync(join(root, 'locked'), 0);
    onTestFinished(() => chmodSync(join(root, 'locked'), 0o700));
    const sources = ['/none', '/empty', '/file.md', '/locked', '/skills'];
    const { skills, notices } = await loadSkills(files, sources);
    expect([...skills.keys()]).toContain('a');
    const told = notices.map((notice) => `${notice.kind} ${notice.path}`);
    // Root may read everything, also when it runs the tests.
    const expected =
      process.getuid?.() === 0 ? ['/none', '/empty', '/file.md'] : ['/none', '/empty', '/file.md', '/locked'];
    expect(told).toEqual(expected.map((path) => `skipped ${path}`));
    expect(notices[2]).toMatchObject({
      reason: expect.stringContaining('is a file, not a directory') as string,
    });
  });
});

describe('a skill', () => {
  it('may be called skill.md in any letters', async () => {
    const { files } = newRoot({ 's/a/skill.md': skill('a'), 's/b/Skill.md': skill('b') });
    const { skills } = await loadSkills(files, ['/s']);
    expect([...skills.values()].map(({ path }) => path)).toEqual(['/s/a/skill.md', '/s/b/Skill.md']);
  });

  it('that is broken hides no other', async () => {
    const { files } = newRoot({
      's/a/SKILL.md': skill('a'),
      's/b/SKILL.md': '---\nname: b\n---\n',
      's/c/SKILL.md': new Uint8Array([0xff, 0xfe, 0x2d, 0x00]),
      's/d/SKILL.md': '---js\n---\n',
      's/e/SKILL.md': skill('e'),
    });
    const set = await loadSkills(files, ['/s']);
    expect(names(set)).toEqual(['a', 'e']);
    expect(set.notices).toEqual([
      { kind: 'skipped', path: '/s/b/SKILL.md', reason: 'its description is missing' },
      { kind: 'skipped', path: '/s/c/SKILL.md', reason: expect.stringContaining('UTF-8') as string },
      { kind: 'skipped', path: '/s/d/SKILL.md', reason: expect.stringContaining('"js"') as string },
    ]);
  });

  it('that is no regular file is left out at once, with the reason', async () => {
    const { root } = newRoot({
      's/a/SKILL.md': skill('a'),
      's/folder/SKILL.md/x': 'x',
      'outside.md': skill('outside'),
    });
    const inside = diskFiles(join(root, 's'));
    symlinkSync('../..', join(root, 's', 'elsewhere'));
    symlinkSync('none', join(root, 's', 'dangling'));
    for (const name of ['pipe', 'device', 'link', 'large']) mkdirSync(join(root, 's', name));
    execFileSync('mkfifo', [join(root, 's/pipe/SKILL.md')]);
    symlinkSync('/dev/zero', join(root, 's/device/SKILL.md'));
    symlinkSync('../../outside.md', join(root, 's/link/SKILL.md'));
    writeFileSync(join(root, 's/large/SKILL.md'), skill('large'));
    truncateSync(join(root, 's/large/SKILL.md'), 10 * 1024 * 1024 + 1);
    const set = await loadSkills(inside, ['/']);
    expect(names(set)).toEqual(['a']);
    const reasons = set.notices.map((notice): [string, string] => [
      notice.path.split('/')[1] ?? '',
      notice.kind === 'shadowed' ? '' : notice.reason,
    ]);
    expect(Object.fromEntries(reasons)).toEqual({
      dangling: expect.stringContaining('a link that is broken') as string,
      elsewhere: expect.stringContaining('a link that is broken or leaves the files') as string,
      device: expect.stringContaining('out of the root') as string,
      folder: expect.stringContaining('a directory, not a regular file') as string,
      large: 'it has 10485761 bytes; the limit is 10485760',
      link: expect.stringContaining('out of the root') as string,
      pipe: expect.stringContaining('a pipe') as string,
    });
  });

  it('may be reached by a link that stays in the root', async () => {
    const { root, files } = newRoot({ 'skills/a/SKILL.md': skill('a') });
    mkdirSync(join(root, '.claude/skills'), { recursive: true });
    symlinkSync('../../skills/a', join(root, '.claude/skills/a'));
    expect(names(await loadSkills(files, ['/.claude/skills']))).toEqual(['a']);
  });
});

describe('files', () => {
  it('of 2,000 skills are looked at once each, and read again only when they have changed', async () => {
    const disk = memoryFiles();
    for (let index = 0; index < 2000; index += 1)
      await disk.write(`/s/skill-${index}/SKILL.md`, skill(`skill-${index}`));
    await disk.write('/s/skill-1000/SKILL.md', '---\nname: [\n---\n');
    const { files, counts } = counting(disk);
    const first = await loadSkills(files, ['/s']);
    expect(first.skills.size).toBe(1999);
    expect(first.notices).toHaveLength(1);
    expect(counts).toEqual({ list: 2001, stat: 2000, read: 2000 });

    await disk.write('/s/skill-7/SKILL.md', skill('skill-7', 'changed'));
    await disk.remove('/s/skill-8/SKILL.md');
    const second = await loadSkills(files, ['/s'], { earlier: first });
    expect(counts).toEqual({ list: 4001, stat: 3999, read: 2001 });
    expect(second.skills.get('skill-7')?.description).toBe('changed');
    expect(second.skills.has('skill-8')).toBe(false);
    expect(second.skills.size).toBe(1998);
    expect(second.notices).toHaveLength(1);
  });

  it('that fail at every n-th call leave out what failed, and nothing else', async () => {
    const disk = memoryFiles();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await disk.write(`/s/${name}/SKILL.md`, skill(name));
    for (let nth = 1; nth <= 13; nth += 1) {
      let calls = 0;
      const fail = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
        return async (...args: A): Promise<R> => {
          calls += 1;
          if (calls === nth) throw new Error('the disk is tired');
          return work(...args);
        };
      };
      const files: Files = {
        ...disk,
        list: fail(disk.list),
        stat: fail(disk.stat),
        readText: fail(disk.readText),
      };
      const set = await loadSkills(files, ['/s']);
      const failed = calls >= nth;
      expect(set.notices.map((notice) => 'reason' in notice && notice.reason)).toEqual(
        failed ? ['the disk is tired'] : [],
      );
      // The first call lists the source itself.
      const lost = !failed ? 0 : nth === 1 ? 5 : 1;
      expect(set.skills.size).toBe(5 - lost);
    }
  });
});

it('Tools cannot change a skill to which a link leads', async () => {
  const { root, files } = newRoot({
    'shared/one/SKILL.md': skill('one'),
    'shared/one/run.sh': '',
    'shared/notes.md': '',
    'two.md': skill('two'),
    's/two/run.sh': '',
  });
  symlinkSync('../shared', join(root, 's/linked'));
  symlinkSync('../../two.md', join(root, 's/two/SKILL.md'));
  expect(names(await loadSkills(files, ['/s']))).toEqual(['one', 'two']);
  for (const path of [
    '/s/linked/one/SKILL.md',
    '/shared/one/SKILL.md',
    '/shared/one/run.sh',
    '/shared/new/skill.md',
    '/two.md',
  ])
    await expect(files.write(path, 'mine')).rejects.toMatchObject({ code: 'FILE_PROTECTED' });
  await files.write('/shared/notes.md', 'mine');
});
