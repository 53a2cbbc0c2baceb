import { expect, it } from 'vitest';

import { namesWithoutDocstring } from './public-api.ts';
import { workspacePackages } from './workspace.ts';

const published = workspacePackages()
  .filter(({ manifest }) => manifest.private !== true)
  .map((one) => [one.manifest.name, one] as const);

it.each(published)('each name that %s exports has a docstring', (_, one) => {
  expect(namesWithoutDocstring(one)).toEqual([]);
});
