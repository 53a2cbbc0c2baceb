import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as v from 'valibot';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z as zod3 } from 'zod-3';
import * as mini from 'zod/mini';

import { convertSchema } from './convert-schema.ts';

it.each([[null], [undefined], ['string'], [7], [{}], [{ '~standard': { vendor: 'nobody' } }]])(
  'of %o no library is known',
  (schema) => expect(convertSchema(schema)).toBeUndefined(),
);

it.each([
  ['zod mini', mini.object({ days: mini.number() })],
  ['zod 3', zod3.object({ days: zod3.number() })],
  ['valibot', v.object({ days: v.number() })],
])('a schema of %s is converted with its own library', async (_, schema) => {
  const { schema: converted } = convertSchema(schema) as { readonly schema: Converted };
  const { input, output } = converted['~standard'].jsonSchema;
  const options = { target: 'draft-2020-12' };
  for (const json of [input(options), output(options)])
    expect(json).toMatchObject({ type: 'object', required: ['days'] });
  expect(await converted['~standard'].validate({ days: 'x' })).toHaveProperty('issues');
});

interface Converted {
  readonly '~standard': {
    readonly validate: (value: unknown) => unknown;
    readonly jsonSchema: Record<'input' | 'output', (options: object) => object>;
  };
}

describe('a converter', () => {
  const foreign = { '~standard': { vendor: 'valibot' } };

  it('that is nowhere to be found is named', async () => {
    const { convert } = await project();
    expect(convert(foreign)).toEqual({ missing: '@valibot/to-json-schema' });
    expect(convert({ '~effect/Schema/Schema': true })).toEqual({ missing: 'effect' });
  });

  it.each(['working', 'program', 'core'] as const)('is found in the %s folder', async (place) => {
    const { convert, install } = await project();
    install(place);
    expect(convert(foreign)).toEqual({ schema: place });
  });

  it('comes from the working folder first, and then from that of the program', async () => {
    const { convert, install } = await project();
    install('core');
    install('program');
    expect(convert(foreign)).toEqual({ schema: 'program' });
    install('working');
    expect(convert(foreign)).toEqual({ schema: 'working' });
  });

  it('is looked for without a program', async () => {
    const { convert, install } = await project();
    install('core');
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node']);
    expect(convert(foreign)).toEqual({ schema: 'core' });
  });
});

/** A core in a folder of its own, a program in another, and a working folder. */
async function project() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-convert-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const place of ['working', 'program', 'core']) mkdirSync(join(root, place));
  const copy = join(root, 'core', 'convert-schema.ts');
  copyFileSync(join(import.meta.dirname, 'convert-schema.ts'), copy);
  leaveOutGlobalPaths();
  vi.spyOn(process, 'cwd').mockReturnValue(join(root, 'working'));
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', join(root, 'program', 'main.js')]);
  onTestFinished(() => void vi.restoreAllMocks());
  const { convertSchema: convert } = (await import(copy)) as { readonly convertSchema: typeof convertSchema };
  const install = (place: string): void => {
    const folder = join(root, place, 'node_modules', '@valibot', 'to-json-schema');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), `exports.toStandardJsonSchema = () => '${place}';`);
  };
  return { convert, install };
}

/** Modules are found in the folders alone, although pnpm's shims start the tests with a NODE_PATH that holds them all. */
function leaveOutGlobalPaths(): void {
  // Node reads the variable here, and exports this without describing it.
  const { _initPaths: readPaths } = Module as unknown as { readonly _initPaths: () => void };
  vi.stubEnv('NODE_PATH', '');
  readPaths();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    readPaths();
  });
}
