import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readTrace, type TraceNode } from '../packages/plugin-telemetry/src/trace.ts';
import { recordTrace } from './record-trace.ts';
import { drawTrace, picture, recorded } from './trace-picture.ts';

it('shows in the guide what shallot trace shows of the recorded run', async () => {
  const drawn = await drawTrace(recorded);
  expect(readFileSync(picture, 'utf8'), 'run node scripts/trace-picture.ts').toBe(drawn);
});

it('shows a run as it is recorded today', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-picture-'));
  try {
    const today = join(folder, 'trace.jsonl');
    await recordTrace(today);
    expect(await outline(recorded), 'run node scripts/trace-picture.ts --record').toEqual(
      await outline(today),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A trace without what is different each time. */
async function outline(file: string): Promise<unknown> {
  const { parts } = await readTrace(file);
  return parts.map(({ roots }) => roots.map(withoutTimes));
}

function withoutTimes({ start, end, notes, children }: TraceNode): unknown {
  const { at: _start, callId: _call, ...began } = start;
  const { at: _end, ownMs: _own, changes, ...rest } = end ?? {};
  // How much was changed is up to what plugins write today.
  const ended = { ...rest, changed: JSON.stringify(changes)?.replace(/\d+/g, 'n') };
  return { began, ended, notes: notes.map(({ note }) => note), children: children.map(withoutTimes) };
}
