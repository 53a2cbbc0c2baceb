import { describe, expect, it } from 'vitest';

import { urlMatcher } from './url-matcher.ts';

const matcher = urlMatcher('fetch_url');

async function covers(list: 'allow' | 'deny', pattern: string, url: string) {
  const touches = await matcher.touches({ name: 'fetch_url', input: { url } }, { files: {} as never });
  return touches?.[0]?.covers(pattern, list);
}

describe('a rule about an address', () => {
  it.each<readonly [string, string, boolean | undefined, boolean | undefined]>([
    // pattern, address, as a rule that allows, as one that denies
    ['docs.example.org', 'https://docs.example.org/a?b=c', true, true],
    ['docs.example.org', 'https://DOCS.example.org./', true, true],
    ['docs.example.org', 'http://docs.example.org/', false, true],
    ['docs.example.org', 'https://docs.example.org:8443/', false, true],
    ['docs.example.org', 'https://docs.example.org.evil.test/', false, false],
    ['docs.example.org', 'https://evil.test/docs.example.org', false, false],
    ['docs.example.org', 'https://docs.example.org@evil.test/', false, false],
    ['*.example.org', 'https://a.b.example.org/', true, true],
    ['*.example.org', 'https://example.org/', false, false],
    ['http://localhost:3000', 'http://localhost:3000/x', true, true],
    ['http://localhost:3000', 'http://localhost/x', false, false],
    ['example.org/api/*', 'https://example.org/api/v1?x', true, true],
    ['example.org/api/*', 'https://example.org/other', false, false],
    ['example.org/api/*', 'https://example.org/%61pi/v1', false, undefined],
    ['*', 'https://example.org/', true, true],
    ['127.0.0.1', 'https://0x7f.1/', true, true],
  ])('%s and %s: allows %s, denies %s', async (pattern, url, allows, denies) => {
    expect(await covers('allow', pattern, url)).toBe(allows);
    expect(await covers('deny', pattern, url)).toBe(denies);
  });

  it.each<readonly [string, string, boolean]>([
    ['docs.example.org', '*.example.org', true],
    ['https://Docs.example.org.', '*.example.org', true],
    ['http://docs.example.org', '*.example.org', false],
    ['docs.example.org:8443', '*.example.org', false],
    ['*.example.org', 'docs.example.org', false],
    ['example.org/api/v1', 'example.org/api/*', true],
    ['example.org', 'example.org/api/*', false],
    ['example.org/api/*', 'example.org', true],
  ])('%s is within %s: %s', (pattern, wider, expected) =>
    expect(matcher.within?.(pattern, wider)).toBe(expected),
  );

  it.each(['ftp://example.org', 'a b', 'user@example.org', 'https://', 'example.org#part'])(
    '%s is refused',
    (pattern) => expect(matcher.advise(pattern)).toEqual(expect.any(String)),
  );

  it.each(['https://example.org/a', 'http://localhost:3000/', 'https://example.org:8443/'])(
    'proposes the host of %s',
    async (url) => {
      const touches = await matcher.touches({ name: 'fetch_url', input: { url } }, { files: {} as never });
      const [touch] = touches ?? [];
      expect(touch?.covers(touch.narrowest ?? '', 'allow')).toBe(true);
    },
  );

  it('cannot tell what an address is that cannot be read', async () =>
    expect(
      await matcher.touches({ name: 'fetch_url', input: { url: '//' } }, { files: {} as never }),
    ).toBeUndefined());
});
