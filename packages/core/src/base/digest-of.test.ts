import { expect, it } from 'vitest';

import { digestOf } from './digest-of.ts';

// The beginnings of `sha256sum` over the canonical JSON. Journals and approvals hold such digests.
it.each([
  [{ b: [2], a: 1 }, 'CFW_wg62z6pL59a1EMY90g'],
  [{ a: 1, b: [2] }, 'CFW_wg62z6pL59a1EMY90g'],
  ['x', 'ui30kDosFOhtw7zKWJEbRA'],
  [undefined, 'dCNOmK_nSY-12vHzasLXig'],
])('the digest of %j is %s', (value, digest) => {
  expect(digestOf(value)).toBe(digest);
});
