import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { sqliteStore } from '@shallot/core/sqlite';
import { answerInterrupts, pendingInterrupts } from '@shallot/core/work';
import { expect, it } from 'vitest';

import { ask, copyExample, killAt, resume, run, treeOf } from './test/team.ts';

it('is killed among its readers and behind its writer, and does nothing twice', async () => {
  const folder = copyExample();
  const report = join(folder, '.shallot/workspace/report.md');

  await killAt(folder, ask, 'reader', 3);
  const source = join(folder, '.shallot/workspace/sources/canal.md');
  // A reader that read again would find no place.
  writeFileSync(source, 'Nothing.\n');
  expect((await run(folder, resume)).status).toBe(3);
  expect(await treeOf(folder)).toMatchObject([
    { agent: 'reader', status: 'completed', results: 1 },
    { agent: 'reader', status: 'completed', results: 1 },
    { agent: 'reader', status: 'completed', results: 1 },
    { agent: 'writer', status: 'interrupted', results: 0 },
  ]);

  const store = sqliteStore(join(folder, '.shallot/sessions.db'));
  const [question, ...others] = await pendingInterrupts(store, 'garden');
  expect(others).toEqual([]);
  expect(question).toMatchObject({ plugin: 'hitl', call: { name: 'write_file' } });
  expect(question?.under).toHaveLength(1);
  await answerInterrupts(store, 'garden', { [question?.id ?? '']: { decision: 'approve' } });
  await store.close?.();

  await killAt(folder, resume, 'writer', 1);
  // A writer that wrote again would replace this.
  appendFileSync(report, '\nRead by a person.\n');
  const { status, stdout } = await run(folder, resume);
  expect(status).toBe(0);
  expect((await treeOf(folder)).map(({ agent, results }) => [agent, results])).toEqual([
    ['reader', 1],
    ['reader', 1],
    ['reader', 1],
    ['writer', 1],
  ]);
  const end = stdout.trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(end)).toMatchObject({ type: 'run-end', result: { usage: { modelCalls: 13 } } });
  expect(readFileSync(report, 'utf8')).toMatchInlineSnapshot(`
    "# Places for the garden

    Most sun first.

    - slope at the station: 0 euros a year; water: none, and the next tap is 300 metres off; sun: 11 hours (/sources/station.md)
    - strip along the canal: 240 euros a year; water: the canal itself, two steps down; sun: 8 hours (/sources/canal.md)
    - yard behind the old school: 90 euros a year; water: a tap at the wall, from May to October; sun: 3 hours (/sources/school.md)

    Read by a person.
    "
  `);
});
