import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { diskFiles } from '@shallot/core/files';
import { expect, it, vi } from 'vitest';

import { callsInDocs, policies, resultOf, SwappedRoot } from '../test/swapped-paths.ts';

vi.setConfig({ testTimeout: 900_000 });

const program = new URL('../test/programs/swapping.ts', import.meta.url).pathname;

it.each(Object.entries(policies))(
  'of 10,000 swaps by another process, none gets past permissions that say %s',
  async (_, permissions) => {
    using root = new SwappedRoot();
    const files = diskFiles(root.path);
    const ended = new AbortController();
    const swapping = promisify(execFile)(process.execPath, [program, root.path, '10000']).finally(() =>
      ended.abort(),
    );
    const count = { done: 0, refused: 0 };
    const leaks: string[] = [];
    while (!ended.signal.aborted) {
      for (const call of callsInDocs) {
        const text = await resultOf(call, files, permissions);
        if (text.includes('the key')) leaks.push(`${call[0]}: ${text}`);
        const isRefused = /leads to|has a link|denies|default|no file|could not be read/.test(text);
        count[isRefused ? 'refused' : 'done'] += 1;
      }
    }
    expect((await swapping).stdout).toBe('10000\n');
    expect({ leaks, harm: root.harm() }).toEqual({ leaks: [], harm: [] });
    // Otherwise the swaps and the calls have not met.
    expect(count.done).toBeGreaterThan(100);
    expect(count.refused).toBeGreaterThan(100);
  },
);
