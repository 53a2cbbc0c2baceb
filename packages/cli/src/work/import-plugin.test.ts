import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isShallotError } from '@shallot/core';
import { expect, it, onTestFinished } from 'vitest';

import { CommandFailure } from '../terminal/command-failure.ts';
import { importPlugin } from './import-plugin.ts';

/** A directory with packages in its `node_modules`: their names and the code of their entries. */
function directoryWith(packages: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'shallot-import-plugin-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, code] of Object.entries(packages)) {
    const folder = join(directory, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name, exports: { './leaves': './index.mjs' } }),
    );
    writeFileSync(join(folder, 'index.mjs'), code);
  }
  return directory;
}

interface Tea {
  readonly brew: () => string;
}

const brewing = (directory: string, beside: string): Promise<Pick<Tea, 'brew'>> =>
  importPlugin<Tea, 'brew'>(
    { entry: 'tea/leaves', functions: ['brew'], command: 'shallot brew', directory },
    beside,
  );

const tea = (kind: string): Record<string, string> => ({ tea: `export const brew = () => '${kind}';` });

it('takes the plugin of the project, else the one beside the command', async () => {
  const [none, project, beside] = [
    directoryWith({}),
    directoryWith(tea('mine')),
    directoryWith(tea('yours')),
  ];
  expect((await brewing(project, beside)).brew()).toBe('mine');
  expect((await brewing(none, beside)).brew()).toBe('yours');
});

it('says what to install when there is none, and who needs it', async () => {
  const error = await brewing(directoryWith({}), directoryWith({})).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ status: 2, hint: 'shallot brew needs it.' });
  const cause = error instanceof CommandFailure ? error.cause : undefined;
  expect(isShallotError(cause, 'MODULE_NOT_FOUND') && cause.message).toMatch(/Run: npm install tea$/);
});

it('says so when the plugin of the project has not what is needed', async () => {
  const project = directoryWith({ tea: 'export const steep = () => {};' });
  await expect(brewing(project, directoryWith(tea('yours')))).rejects.toMatchObject({
    status: 2,
    message: expect.stringContaining(
      'shallot brew needs brew of tea/leaves, which the installed version',
    ) as string,
  });
});

it('does not hide that the plugin of the project fails', async () => {
  const project = directoryWith({ tea: 'throw new Error("no water");' });
  const error = await brewing(project, directoryWith(tea('yours'))).catch((failure: unknown) => failure);
  expect(error instanceof CommandFailure && error.cause).toMatchObject({ code: 'MODULE_FAILED' });
});
