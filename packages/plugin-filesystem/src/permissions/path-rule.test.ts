import { describe, expect, it } from 'vitest';

import { advisePathRule, PathRule } from './path-rule.ts';
import { pathTouch, type PathAccess } from './path-touch.ts';

describe('a pattern of paths', () => {
  it.each([
    ['src/a.ts', '/src/a.ts', true],
    ['/src/a.ts', '/src/a.ts', true],
    ['src/a.ts', '/lib/src/a.ts', false],
    ['src/*', '/src/a.ts', true],
    ['src/*', '/src/b/a.ts', false],
    ['src/**', '/src/b/a.ts', true],
    ['src/**', '/src', false],
    ['src/', '/src/b/a.ts', true],
    ['src/**/a.ts', '/src/a.ts', true],
    ['src/**/a.ts', '/src/b/c/a.ts', true],
    ['src/**/a.ts', '/src/b/c/b.ts', false],
    ['*.md', '/a.md', true],
    ['*.md', '/docs/deep/a.md', true],
    ['/*.md', '/docs/a.md', false],
    ['**', '/a/b', true],
    ['docs', '/src/docs', true],
    ['a.b', '/aXb', false],
  ])('%s and %s: %s', (pattern, path, expected) => expect(new PathRule(pattern).fits(path)).toBe(expected));

  it.each<readonly [string, string, boolean]>([
    // narrower, wider
    ['/docs/a', 'docs/**', true],
    ['docs/a/b', 'docs/**', true],
    ['docs/', 'docs/*', false],
    ['docs/', 'docs/**', false],
    ['/docs/', 'docs/**', true],
    ['docs/**', 'docs/*', false],
    ['docs/*', 'docs/**', true],
    ['docs/*', 'docs/*', true],
    ['docs/**/a', 'docs/**', true],
    ['docs/**/a', 'docs/*/a', false],
    ['docs/*/a', 'docs/**/a', true],
    ['docs/**/b/a', 'docs/**/a', true],
    ['docs', 'docs/**', false],
    ['docs/**', 'docs', false],
    ['*.md', '**', true],
    ['*.md', 'docs/**', false],
    ['docs/*.md', '*.md', true],
    ['a', '/a/b', false],
    ['/a', 'a', true],
    ['a/b*', 'a/*', true],
    ['a/*', 'a/b*', false],
  ])('%s is within %s: %s', (pattern, wider, expected) =>
    expect(new PathRule(wider).covers(new PathRule(pattern))).toBe(expected),
  );

  it('of many stars is decided at once', () => {
    const pattern = `${'**/a*/'.repeat(200)}b`;
    expect(new PathRule(pattern).fits(`/${'aa/'.repeat(2000)}c`)).toBe(false);
  });

  it.each(['a?.md', '[ab].md', '{a,b}/**', '!a', '../a', '~/a', 'C:/a'])('%s is refused', (pattern) =>
    expect(advisePathRule(pattern)).toEqual(expect.any(String)),
  );
});

describe('a rule about a path', () => {
  const covers = (list: 'allow' | 'deny', pattern: string, path: string, access: PathAccess) =>
    pathTouch(path, access).covers(pattern, list);

  it.each<readonly [string, string, PathAccess, boolean | undefined, boolean | undefined]>([
    // pattern, path, access, as a rule that allows, as one that denies
    ['src/**', '/src/a.ts', 'write', true, true],
    ['src', '/src/a.ts', 'write', false, true],
    ['src/*', '/src/b/a.ts', 'write', false, true],
    ['SRC/**', '/src/a.ts', 'write', false, true],
    ['secrets/**', '/', 'walk', false, undefined],
    ['secrets/**', '/', 'list', false, false],
    ['secrets/**', '/secrets', 'list', true, true],
    ['secrets/**', '/secrets/deep', 'walk', true, true],
    ['secrets/**', '/docs', 'walk', false, false],
    ['*.pem', '/docs', 'walk', false, undefined],
    ['docs/*.md', '/docs', 'walk', false, undefined],
    ['docs/**', '/docs', 'walk', true, true],
    ['*/**', '/', 'walk', false, undefined],
    ['**', '/', 'walk', true, true],
  ])('%s, %s (%s): allows %s, denies %s', (pattern, path, access, allows, denies) => {
    expect(covers('allow', pattern, path, access)).toBe(allows);
    expect(covers('deny', pattern, path, access)).toBe(denies);
  });

  it.each<readonly [string, PathAccess]>([
    ['/a.md', 'write'],
    ['/src/a.ts', 'read'],
    ['/src', 'walk'],
    ['/', 'walk'],
    ['/docs', 'list'],
  ])('proposes a pattern for %s (%s) that covers it', (path, access) => {
    const touch = pathTouch(path, access);
    expect(touch.covers(touch.narrowest ?? '', 'allow')).toBe(true);
  });

  it('proposes none for a name that would mean more as a pattern', () =>
    expect(pathTouch('/src/*.ts', 'write').narrowest).toBeUndefined());
});
