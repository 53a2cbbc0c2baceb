import { globSync } from 'node:fs';
import { dirname } from 'node:path';

import { expect, it } from 'vitest';

import { borders } from './borders.ts';
import { root } from './workspace.ts';

/** Rooms without a row: those above the agent. */
const free = new Set(['packages/core/src/config', 'packages/core/src/sqlite']);

it('each room of a package has a row in the table of borders', () => {
  const files = globSync('packages/*/src/*/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && !file.startsWith('packages/matrix/'),
  );
  const rooms = [...new Set(files.map(dirname))].filter((room) => !free.has(room));
  const rows = new Set(borders.flatMap(({ files: patterns }) => patterns));
  expect(rooms.length).toBeGreaterThan(80);
  expect(rooms.filter((room) => !rows.has(`${room}/*.ts`))).toEqual([]);
});
