import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { onTestFinished } from 'vitest';

import { makeProject, type Project } from './project.ts';

/** The manifest of a published package. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

/** A package registry on this machine, which runs until the test ends. */
export interface TestRegistry {
  readonly url: string;
  /** The paths of the requests so far. */
  readonly requests: string[];
  publish(manifest: PublishedPackage, files?: Readonly<Record<string, string>>): void;
  /** Handles a request in place of the registry if it returns true. */
  answer?: (path: string, response: ServerResponse) => boolean;
}

export async function startRegistry(): Promise<TestRegistry> {
  const packages = new Map<string, Map<string, PublishedPackage & { readonly dist: object }>>();
  const tarballs = new Map<string, Buffer>();
  const server = createServer(({ url: path = '' }, response) => {
    const name = decodeURIComponent(path.replace(/^\/|\?.*$/g, ''));
    registry.requests.push(name);
    if (registry.answer?.(name, response) === true) return;
    const tarball = tarballs.get(name);
    if (tarball !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball);
      return;
    }
    // Some package managers ask for a single version.
    const [, wanted = name, version] = /^((?:@[^/]+\/)?[^/]+)(?:\/([^/]+))?$/.exec(name) ?? [];
    const versions = packages.get(wanted);
    const document =
      version === undefined || versions === undefined ? documentOf(wanted, versions) : versions.get(version);
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { error: 'Not found' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  // Since the server listens on a port, its address is an object with that port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const registry: TestRegistry = {
    url,
    requests: [],
    publish(manifest, files = {}) {
      const { name, version } = manifest;
      const content = pack({ ...files, 'package.json': JSON.stringify(manifest) });
      const path = `${name}/-/${version}.tgz`;
      tarballs.set(path, content);
      const dist = {
        tarball: `${url}${path}`,
        integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
        shasum: createHash('sha1').update(content).digest('hex'),
      };
      const versions = packages.get(name) ?? new Map<string, PublishedPackage & { readonly dist: object }>();
      packages.set(name, versions.set(version, { ...manifest, dist }));
    },
  };
  return registry;
}

// Some package managers refuse packages that were published only a few days ago.
const longAgo = '2020-01-01T00:00:00.000Z';

function documentOf(name: string, versions: ReadonlyMap<string, object> | undefined): object | undefined {
  if (versions === undefined) return undefined;
  const names = [...versions.keys()];
  return {
    name,
    'dist-tags': { latest: names.at(-1) },
    time: {
      created: longAgo,
      modified: longAgo,
      ...Object.fromEntries(names.map((each) => [each, longAgo])),
    },
    versions: Object.fromEntries(versions),
  };
}

/** Returns the files as a tarball that package managers accept. */
function pack(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return [header(`package/${path}`, content.length), content, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(path, 0);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\0', 257);
  block.write('00', 263);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export interface PluginToPublish {
  readonly api?: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** The source of the plugin. Default: a plugin with this name. */
  readonly module?: string;
}

/** Publishes a plugin that requires no options. */
export function publishPlugin(
  registry: TestRegistry,
  packageName: string,
  version: string,
  { api = '^1.0.0', manifest = {}, module }: PluginToPublish = {},
): void {
  const plugin = packageName.replace(/^.*\/(?:shallot-)?(?:plugin-)?|^shallot-plugin-/, '');
  registry.publish(
    {
      name: packageName,
      version,
      type: 'module',
      exports: './index.js',
      shallot: { plugin, api },
      ...manifest,
    },
    { 'index.js': module ?? pluginModule(plugin) },
  );
}

/**
 * Returns the source of a plugin that does not import the core: it carries the brand that every copy of the core
 * recognizes.
 */
export function pluginModule(name: string, members = ''): string {
  return `const definition = { name: '${name}', ${members} setup() {} };
const brand = Symbol.for('shallot.plugin');
export default Object.assign((options) => Object.freeze({ [brand]: true, definition, options }), { definition });
`;
}

/** Returns the files that make the package manager of a project use only this registry. */
export function managerFiles(
  { url }: TestRegistry,
  manager: 'npm' | 'pnpm' = 'pnpm',
): Readonly<Record<string, string>> {
  const caches = mkdtempSync(join(tmpdir(), 'shallot-caches-'));
  onTestFinished(() => rmSync(caches, { recursive: true, force: true }));
  const settings = [
    `registry=${url}`,
    'fetch-retries=0',
    `cache=${join(caches, 'npm')}`,
    'update-notifier=false',
    '',
  ];
  return {
    '.npmrc': settings.join('\n'),
    ...(manager === 'pnpm' && {
      'pnpm-workspace.yaml': `packages: []\nregistry: ${url}\nfetchRetries: 0\nstoreDir: ${join(caches, 'store')}\ncacheDir: ${join(caches, 'pnpm')}\n`,
    }),
    ...(manager === 'pnpm'
      ? { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" }
      : {
          'package-lock.json':
            '{ "name": "p", "lockfileVersion": 3, "requires": true, "packages": { "": {} } }\n',
        }),
  };
}

/** A model that always answers. */
const answeringModel = `export default {
  id: 'test/model',
  generate: async () => ({ message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' }),
};
`;

/** Makes a project with a model, a config in YAML, and settings so that its package manager uses this registry. */
export function registryProject(
  registry: TestRegistry,
  files: Readonly<Record<string, string>> = {},
  manager: 'npm' | 'pnpm' = 'pnpm',
): Project {
  return makeProject({
    'package.json': '{\n  "name": "p",\n  "private": true,\n  "type": "module"\n}\n',
    'model.mjs': answeringModel,
    'shallot.config.yaml': '# An agent.\nmodel: ./model.mjs\n',
    ...managerFiles(registry, manager),
    ...files,
  });
}
