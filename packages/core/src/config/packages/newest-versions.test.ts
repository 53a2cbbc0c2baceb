import { expect, it } from 'vitest';

import { newestVersions } from './newest-versions.ts';

it.each<[string, string[], string[]]>([
  ['the newest first', ['1.9.0', '1.10.0', '0.1.0'], ['1.10.0', '1.9.0', '0.1.0']],
  ['no prerelease beside a release', ['1.0.0', '2.0.0-rc.1'], ['1.0.0']],
  ['prereleases if there is nothing else', ['2.0.0-rc.1', '2.0.0-rc.2'], ['2.0.0-rc.2', '2.0.0-rc.1']],
  ['nothing that is no version', ['latest', '1', ''], []],
])('versions are listed with %s', (_, texts, expected) => {
  expect(newestVersions(texts)).toEqual(expected);
});
