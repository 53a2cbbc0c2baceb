import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { diskFiles, memoryFiles } from '@shallot/core/files';
import { describe, expect, it, onTestFinished } from 'vitest';

import { filesWith, skillFile } from '../test/bench.ts';
import { checkSkills, checkSkillText } from './check.ts';

/** Returns the diagnostics of a skill in the directory `x`, each with line and column. */
function said(frontMatter: string, directory = 'x'): string[] {
  return checkSkillText(`---\n${frontMatter}\n---\n# Text\n`, directory).map(
    ({ message, at: { line, column } }) => `${line}:${column} ${message}`,
  );
}

function expected(...parts: readonly string[]): unknown[] {
  return parts.map((part) => expect.stringContaining(part) as unknown);
}

describe('The strict rules', () => {
  it.each(['x', 'a1-b2-c3', '7', 'a'.repeat(64)])('take the name %j', (name) => {
    expect(said(`name: ${name}\ndescription: d`, name)).toEqual([]);
  });

  it.each(['a--b', '-a', 'a-', 'A', 'a_b', 'a b', 'a.b', 'é', '中'])('do not take the name %j', (name) => {
    expect(said(`name: ${name}\ndescription: d`, name)).toEqual(expected(`2:7 the name is "${name}"; use`));
  });

  it('are kept at their limits', () => {
    const frontMatter = `name: x\ndescription: ${'d'.repeat(1024)}\ncompatibility: ${'c'.repeat(500)}`;
    expect(said(frontMatter)).toEqual([]);
  });

  it.each<readonly [what: string, frontMatter: string, directory: string, problems: readonly string[]]>([
    ['its name', 'description: d', 'x', ['1:1 name']],
    ['an empty name', 'name: ""\ndescription: d', 'x', ['2:7 the name is not a string']],
    [
      'a name that is too long',
      `name: ${'a'.repeat(65)}\ndescription: d`,
      'a'.repeat(65),
      ['2:7 the name has 65 characters; the limit is 64'],
    ],
    ['the name of another directory', 'name: y\ndescription: d', 'x', ['but the directory is "x"']],
    ['no description', 'name: x', 'x', ['1:1 description']],
    ['an empty description', 'name: x\ndescription: "  "', 'x', ['3:14 description is empty']],
    [
      'a list as description',
      'name: x\ndescription: [d]',
      'x',
      ['3:14 description is a list; write a string'],
    ],
    [
      'a description that is too long',
      `name: x\ndescription: ${'d'.repeat(1025)}`,
      'x',
      ['3:14 description has 1025 characters; the limit is 1024'],
    ],
    [
      'compatibility that is too long',
      `name: x\ndescription: d\ncompatibility: ${'c'.repeat(501)}`,
      'x',
      ['4:16 compatibility has 501 characters; the limit is 500'],
    ],
    [
      'a map as license',
      'name: x\ndescription: d\nlicense: {}',
      'x',
      ['4:10 license is a map; write a string'],
    ],
    [
      'a list of allowed tools',
      'name: x\ndescription: d\nallowed-tools: [Read]',
      'x',
      ['4:16 allowed-tools is a list; write a string'],
    ],
    ['metadata that is no map', 'name: x\ndescription: d\nmetadata: y', 'x', ['4:11 metadata is a string']],
    [
      'metadata that is nested',
      'name: x\ndescription: d\nmetadata:\n  a: b\n  c: { d: e }',
      'x',
      ['metadata.c is a map; write a string'],
    ],
    [
      'unknown keys',
      'version: 1\nname: x\ndescription: d\nmodel: m',
      'x',
      [
        '2:1 the key "version" is not part of the standard',
        '5:1 the key "model" is not part of the standard',
      ],
    ],
    [
      'a colon without quotes',
      'name: x\ndescription: Use when: so',
      'x',
      ['3:14 the value of "description"'],
    ],
    [
      'a key that is there twice',
      'name: x\nname: x\ndescription: d',
      'x',
      ['3:1 the key "name" is a duplicate'],
    ],
    ['broken YAML', 'name: x\ndescription: d\nmetadata:\n\ta: b', 'x', ['its front matter is invalid']],
  ])('say that there is %s, and where', (_, frontMatter, directory, problems) => {
    expect(said(frontMatter, directory)).toEqual(expected(...problems));
  });

  it('are told of each skill of a directory, and of what is too large to be one', async () => {
    const files = await filesWith({
      '/skills/a/SKILL.md': skillFile('a'),
      '/skills/b/SKILL.md': skillFile('a'),
      '/skills/c/SKILL.md': 'x'.repeat(10 * 1024 * 1024 + 1),
      '/skills/notes/notes.md': 'x',
    });
    const { checked, problems } = await checkSkills(files, '/skills');
    expect(checked).toEqual(['/skills/a/SKILL.md', '/skills/b/SKILL.md', '/skills/c/SKILL.md']);
    expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual(
      expected('/skills/b/SKILL.md the name is "a", but', '/skills/c/SKILL.md it has 10485761 bytes'),
    );
    expect((await checkSkills(memoryFiles(), '/none')).problems).toHaveLength(1);
  });

  it('are told of a link to nowhere where a skill should be', async () => {
    const root = mkdtempSync(join(tmpdir(), 'shallot-skills-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'skills'));
    symlinkSync('none', join(root, 'skills/away'));
    const { problems } = await checkSkills(diskFiles(root), '/skills');
    expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual(
      expected('/skills/away it is a link that is broken or leaves the files'),
    );
  });
});
