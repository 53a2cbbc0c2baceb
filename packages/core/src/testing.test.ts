import { expect, it } from 'vitest';

import * as tools from '../../testing/src/index.ts';

it('imports of the entry that the tools for tests had fail with the line to change', async () => {
  const old: Promise<unknown> = import('@shallot/core/testing');
  await expect(old).rejects.toMatchObject({
    code: 'ENTRY_MOVED',
    message: expect.stringMatching(
      /npm install --save-dev @shallot\/testing.* from '@shallot\/testing'/,
    ) as string,
  });
});

it('that entry still has every name, as an import of a missing one fails before the entry can say why', async () => {
  // Younger names were never imported from there.
  const names = Object.keys(tools)
    .filter((name) => name !== 'emulateTools')
    .join(', ');
  const importing = `data:text/javascript,import { ${names} } from ${JSON.stringify(import.meta.resolve('@shallot/core/testing'))};`;
  const native: Promise<unknown> = import(/* @vite-ignore */ importing);
  await expect(native).rejects.toMatchObject({ code: 'ENTRY_MOVED' });
});
