import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import type { PluginDefinition } from '@shallot/core';
import { messageOf, pluginApi } from '@shallot/core/plugin';
import satisfies from 'semver/functions/satisfies.js';

import type { ConformanceCheck } from './conformance.ts';

/** Returns checks of a plugin as a package: of its package.json, and of the side effects of importing it. */
export function manifestChecks(definition: PluginDefinition, manifest: URL | undefined): ConformanceCheck[] {
  const bounded: ConformanceCheck = {
    name: 'has a bounded plugin API range that includes this version',
    async run() {
      // Without a range, the imported core determines it.
      const { api = `^${pluginApi}` } = definition;
      assert.ok(
        satisfies(pluginApi, api),
        `api "${api}" does not include ${pluginApi}, the plugin API of the core that runs this; write "^${pluginApi}" once the plugin works with it`,
      );
      assert.ok(!satisfies('9999.0.0', api), `api "${api}" has no upper bound; write "^${pluginApi}"`);
    },
  };
  if (manifest === undefined) return [bounded];
  return [
    bounded,
    {
      name: 'is described by its package.json',
      run: async () => compareManifest(definition, await readManifest(manifest)),
    },
    { name: 'has no side effects when it is imported', run: () => checkImport(manifest) },
  ];
}

/** The part of a package.json that the suite reads. */
interface PluginManifest {
  readonly version?: unknown;
  readonly type?: unknown;
  readonly exports?: unknown;
  readonly peerDependencies?: Readonly<Record<string, unknown>>;
  readonly shallot?: { readonly plugin?: unknown; readonly api?: unknown };
}

async function readManifest(manifest: URL): Promise<PluginManifest> {
  // Each member that is used is compared or checked where it is used.
  return JSON.parse(await readFile(manifest, 'utf8')) as PluginManifest;
}

/**
 * The advice for a version or API in the definition that differs from the package.json. Nothing reads the package.json
 * of a plugin that is used from code, so the definition has to contain its values.
 */
const handOn =
  "write `version: manifest.version, api: manifest.shallot.api`, with `import manifest from '../package.json' with { type: 'json' }`";

function compareManifest({ name, version, api }: PluginDefinition, manifest: PluginManifest): void {
  const { shallot = {} } = manifest;
  assert.equal(typeof manifest.version, 'string', 'the package has no version; write "version": "0.1.0"');
  assert.equal(typeof shallot.api, 'string', `package.json#shallot has no "api"; write "^${pluginApi}"`);
  assert.equal(version, manifest.version, `the definition's version is not the package's; ${handOn}`);
  assert.equal(api, shallot.api, `the definition's api is not that of package.json#shallot; ${handOn}`);
  assert.equal(
    shallot.plugin,
    name,
    "package.json#shallot.plugin is not the definition's name; make them equal, since configs and errors use both",
  );
  assert.equal(manifest.type, 'module', 'the package is not an ES module; write "type": "module"');
  const core = manifest.peerDependencies?.['@shallot/core'];
  assert.ok(
    typeof core === 'string' && /\d/.test(core),
    `peerDependencies["@shallot/core"] is ${JSON.stringify(core)}; write a range such as ">=0.1.0"`,
  );
  assert.ok(
    satisfies('9999.0.0', core),
    `the peer range "${core}" shuts out later versions of @shallot/core; write ">=" and the first version that works: "api" refuses the others`,
  );
}

const importBoundMs = 30_000;

async function checkImport(manifest: URL): Promise<void> {
  const path = entryOf((await readManifest(manifest)).exports);
  const entry = new URL(path, manifest);
  assert.ok(existsSync(entry), `${path}, which package.json exports, is missing; build the package first`);
  const args = ['--no-warnings', '--input-type=module', '--eval', importAndCompare, entry.href];
  const importing = promisify(execFile)(process.execPath, args, { timeout: importBoundMs });
  const { stdout, stderr } = await importing.catch((error: unknown) => {
    const why = /^\w*Error\b.*$/m.exec(messageOf(error))?.[0] ?? 'it did not come to an end';
    assert.fail(
      `${path} cannot be imported: ${why}; only define the plugin there, and do the rest in setup or later`,
    );
  });
  assert.equal(
    stdout,
    '',
    'the import wrote to stdout or left something behind; only define the plugin there, and do the rest in setup or later',
  );
  assert.equal(stderr, '', 'the import wrote to stderr; only define the plugin there');
}

/**
 * Prints what an import has added to the process: names of globals, signals listened to, open handles. Globals that
 * begin with two underscores are ignored: schema libraries keep their registries there. Node's own `node:util` opens
 * a handle for a stdout that is a pipe, so it is imported first.
 */
const importAndCompare = `
await import('node:util');
const look = () => [...Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__')), ...process.eventNames().map(String), ...process.getActiveResourcesInfo()];
const before = look();
await import(process.argv[1]);
const added = look();
for (const name of before) if (added.includes(name)) added.splice(added.indexOf(name), 1);
if (added.length > 0) console.log(added.join(' '));
`;

function entryOf(exports: unknown): string {
  let entry = exports;
  for (const key of ['.', 'import', 'default']) {
    if (typeof entry === 'object' && entry !== null && key in entry) entry = Reflect.get(entry, key);
  }
  assert.ok(
    typeof entry === 'string',
    `exports["."] of package.json is ${JSON.stringify(entry)}; name the built entry there: { "types": "./dist/index.d.ts", "default": "./dist/index.js" }`,
  );
  return entry;
}
