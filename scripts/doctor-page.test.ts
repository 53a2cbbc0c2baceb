import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { findingTable } from '../packages/cli/src/doctor/finding-table.ts';
import { faultyPackages } from '../packages/cli/test/faulty-projects/faulty-packages.ts';
import { faultySetups } from '../packages/cli/test/faulty-projects/faulty-setups.ts';
import { doctorPage } from './doctor-page.ts';
import { root } from './workspace.ts';

const page = readFileSync(join(root, 'docs/reference/doctor.md'), 'utf8');

/** Tables are padded when they are formatted. */
function unpadded(text: string): string {
  return text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
}

it('the page of findings is what the command says (node scripts/make-doctor-page.ts)', () => {
  expect(unpadded(doctorPage(page))).toBe(unpadded(page));
});

it('every finding of the faulty projects is on it', () => {
  const codes = [...faultyPackages, ...faultySetups].map(({ code }) => code);
  expect(codes.filter((code) => findingTable[code] === undefined)).toEqual([]);
});
