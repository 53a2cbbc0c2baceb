import { isShallotError } from '@shallot/core';
import { type Files, memoryFiles } from '@shallot/core/files';
import { expect, test } from 'vitest';

import { fileChecks } from './test-files.ts';

const maxBytes = 1_500_000;

/** Files with a fault, and a check that must find it. */
const faults: Record<string, { readonly breakIt: (files: Files) => Partial<Files>; readonly found: string }> =
  {
    'ignore the revision': {
      breakIt: (files) => ({ write: (path, data) => files.write(path, data) }),
      found: 'refuses a write for another revision than the present one, and changes nothing',
    },
    'compare the revision, and write later': {
      breakIt: (files) => ({
        async write(path, data, { ifRevision } = {}) {
          const revision = (await files.stat(path))?.revision ?? null;
          if (ifRevision !== undefined && ifRevision !== revision)
            return files.write(path, data, { ifRevision });
          await new Promise(setImmediate);
          return files.write(path, data);
        },
      }),
      found: 'lets one of several writers for one revision win',
    },
    'append by reading and writing': {
      breakIt: (files) => ({
        async append(path, data) {
          const before = (await files.stat(path)) === undefined ? '' : (await files.readText(path)).text;
          await new Promise(setImmediate);
          return files.write(path, before + Buffer.from(data).toString());
        },
      }),
      found: 'lets all appends and writes that are made at once take effect, in order',
    },
    'take the size for the revision': {
      breakIt: (files) => ({
        async write(path, data) {
          await files.write(path, data);
          return String((await files.stat(path))?.size);
        },
      }),
      found: 'gives another revision after each change, however quick and alike the changes are',
    },
    'decode anything as UTF-8': {
      breakIt: (files) => ({
        async readText(path, options) {
          const { bytes, revision } = await files.read(path, options);
          return { text: new TextDecoder().decode(bytes), revision };
        },
      }),
      found: 'gives text without its byte order mark, and refuses as text what is not UTF-8',
    },
    'give their own array to readers': {
      breakIt(files) {
        const read = new Map<string, Awaited<ReturnType<Files['read']>>>();
        return {
          async read(path, options) {
            const content = read.get(path) ?? (await files.read(path, options));
            read.set(path, content);
            return content;
          },
        };
      },
      found: 'keeps bytes as they are, and shares them with nobody',
    },
    'decode what is in a path': {
      breakIt: (files) => ({
        write: (path, data, options) => files.write(decodeURIComponent(path), data, options),
      }),
      found: 'takes the name "%2e%2e" literally',
    },
    'take ".." in a name for a way out': {
      breakIt: (files) => ({
        write: (path, data, options) => files.write(path.includes('..') ? '/..' : path, data, options),
      }),
      found: 'takes the name "a..b.txt" literally',
    },
    'list by the alphabet of a language': {
      breakIt: (files) => ({
        list: async (path, options) =>
          (await files.list(path, options)).toSorted((a, b) => a.path.localeCompare(b.path, 'en')),
      }),
      found: 'lists files and directories by path, one level or all',
    },
    'read anywhere, whatever the directory': {
      breakIt: (files) => ({ read: (path) => files.read(path) }),
      found: 'reads within a directory what is in it, and nothing else',
    },
    'empty a file before they refuse a larger content': {
      breakIt: (files) => ({
        async write(path, data, options) {
          if (data.length > maxBytes) await files.write(path, '');
          return files.write(path, data, options);
        },
      }),
      found: 'refuses what is over the limit, and changes nothing',
    },
    'throw errors of their own': {
      breakIt: (files) => ({
        read: (path, options) =>
          files.read(path, options).catch((error: unknown) => {
            throw Object.assign(new Error('ENOENT'), { code: isShallotError(error) && error.code });
          }),
      }),
      found: 'does not find missing files',
    },
  };

test.each(Object.entries(faults))('files that %s are found out', async (_, { breakIt, found }) => {
  const failed: string[] = [];
  const create = (): Files => {
    const files = memoryFiles({ maxBytes });
    return { ...files, ...breakIt(files) };
  };
  for (const check of fileChecks(create, { maxBytes })) {
    await check.run().catch(() => failed.push(check.name));
  }
  expect(failed).toContain(found);
});
