import type { AgentEvent } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';
import { KeptStream } from '../../test/terminal/kept-stream.ts';
import { Screen } from '../terminal/screen.ts';
import { textRenderer } from './render-text.ts';

const think = (text: string, index = 0): AgentEvent => ({ type: 'reasoning-delta', index, text });
const say = (text: string, index = 1): AgentEvent => ({ type: 'text-delta', index, text });
const partEnd = (index: number): AgentEvent => ({ type: 'part-end', index });

interface Shown {
  readonly isTTY?: boolean;
  readonly quiet?: boolean;
  readonly reasoning?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns both streams, in the order of writing, as on one terminal. */
async function show(
  events: readonly AgentEvent[],
  { isTTY = true, quiet = false, reasoning, env = { NO_COLOR: '1' } }: Shown = {},
): Promise<string> {
  const terminal = new KeptStream({ isTTY });
  const screen = new Screen({ stdin: process.stdin, stdout: terminal, stderr: terminal, env, cwd: '/' });
  const renderer = textRenderer(screen, { quiet, reasoning, inChat: true });
  for (const event of events) await renderer.event(event);
  await renderer.failed(new Error('It is over.'));
  await screen.close();
  return terminal.text;
}

const thoughts = [think('An on'), think('ion\nhas layers.'), partEnd(0), say('Yes.'), partEnd(1)];

describe('reasoning', () => {
  it('is shown as it comes, on lines of its own', async () => {
    expect(await show(thoughts)).toBe('An onion\nhas layers.\nYes.\n');
  });

  it('is dimmed', async () => {
    const [first = ''] = (await show(thoughts, { env: {} })).split('ion');
    expect(first).toBe('\u001b[2mAn on\u001b[22m\u001b[2m');
  });

  it('begins below an unfinished answer, and a note below it', async () => {
    const events = [
      say('Well', 0),
      think('Hm', 1),
      { type: 'warning', code: 'W', message: 'Careful.' } as const,
    ];
    expect(await show(events)).toBe('Well\nHm\nwarning W: Careful.\n');
  });

  it('parts are separate lines', async () => {
    expect(await show([think('One'), think('Two', 1)])).toBe('One\nTwo\n');
  });

  it('of an attempt that is repeated is said to be void', async () => {
    const events: AgentEvent[] = [think('Bad'), { type: 'restart' }, think('Good'), partEnd(0), say('Yes.')];
    expect(await show(events)).toBe('Bad\n— the reasoning above is void —\nGood\nYes.\n');
  });

  it('cannot steer the terminal', async () => {
    expect(await show([think('A\u001b[2Jb\u0007')])).toBe('A[2Jb\n');
  });

  it.each<readonly [string, Shown, boolean]>([
    ['on a terminal', {}, true],
    ['in a pipe', { isTTY: false }, false],
    ['in a pipe with --reasoning', { isTTY: false, reasoning: true }, true],
    ['on a terminal with --no-reasoning', { reasoning: false }, false],
    ['with --quiet', { quiet: true }, false],
    ['with --quiet --reasoning', { quiet: true, reasoning: true }, true],
  ])('by default: %s', async (_, shown, isThere) => {
    expect((await show(thoughts, shown)).includes('layers')).toBe(isThere);
  });
});

it.each([
  [['run', 'Hi'], 'Yes.\n', false],
  [['run', 'Hi', '--reasoning'], 'Yes.\n', true],
  [['run', 'Hi', '--no-reasoning'], 'Yes.\n', false],
  [['chat', '--reasoning'], 'Yes.\n', true],
])('stdout has the answer alone: %j', async (args, answer, isShown) => {
  const project = makeProject({
    'shallot.config.yaml': 'model: ./model.ts\nlog: silent\n',
    'model.ts': `import { scriptedModel } from '@shallot/testing';
export default scriptedModel([{ reasoning: 'An onion has layers.', text: 'Yes.' }]);`,
  });
  const { status, stdout, stderr } = await project.here(args, { stdin: 'Hi\n' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: answer });
  expect(stderr.includes('An onion has layers.\n')).toBe(isShown);
});
