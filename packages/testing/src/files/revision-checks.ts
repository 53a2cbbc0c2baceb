import assert from 'node:assert/strict';

import { rejectsWith } from '../conformance.ts';
import type { FilesCheck } from './content-checks.ts';

export function revisionChecks(): FilesCheck[] {
  return [
    {
      name: 'gives another revision after each change, however quick and alike the changes are',
      async check(files) {
        const revisions: string[] = [];
        for (let round = 0; round < 30; round += 1) {
          revisions.push(await files.write('/a', round % 2 === 0 ? 'same' : 'size'));
          revisions.push(await files.append('/a', '!'));
          if (round % 10 === 9) await files.remove('/a');
        }
        assert.equal(new Set(revisions).size, 60);
      },
    },
    {
      name: 'keeps a revision while a file is only read',
      async check(files) {
        const revision = await files.write('/a', 'a');
        await files.write('/b', 'b');
        await files.list('/');
        assert.equal((await files.read('/a')).revision, revision);
        assert.equal((await files.stat('/a'))?.revision, revision);
      },
    },
    {
      name: 'refuses a write for another revision than the present one, and changes nothing',
      async check(files) {
        const first = await files.write('/a', 'first', { ifRevision: null });
        const second = await files.write('/a', 'second', { ifRevision: first });
        for (const [path, ifRevision] of [
          ['/a', first],
          ['/a', null],
          ['/b', second],
          ['/c/d', second],
        ] as const) {
          const write = files.write(path, 'x', { ifRevision });
          await rejectsWith(write, 'FILE_CONFLICT', `${path} for ${String(ifRevision)}`);
        }
        assert.deepEqual(await files.readText('/a'), { text: 'second', revision: second });
        assert.deepEqual(await files.list('/', { recursive: true }), [{ path: '/a', kind: 'file' }]);
      },
    },
    {
      name: 'lets one of several writers for one revision win',
      async check(files) {
        const revision = await files.write('/a', 'start');
        for (const [path, ifRevision] of [
          ['/a', revision],
          ['/new', null],
        ] as const) {
          const texts = ['1', '2', '3', '4', '5'];
          const settled = await Promise.allSettled(
            texts.map((text) => files.write(path, text, { ifRevision })),
          );
          const winners = texts.filter((_, index) => settled[index]?.status === 'fulfilled');
          assert.equal(winners.length, 1, `${winners.length} writers of ${path} won`);
          assert.equal((await files.readText(path)).text, winners[0]);
        }
      },
    },
  ];
}
