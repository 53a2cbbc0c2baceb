import { plainRun, type Workload } from '../workload.ts';
import { type Bounds, type PairedSide, pairedRow, type Row } from './row.ts';

const tenLayers: Workload = { ...plainRun, layers: 10 };
const untouched: Workload = { ...tenLayers, steps: 0, chunks: 1000 };
const replaced: Workload = { ...untouched, transform: true };
const burst: Workload = { ...plainRun, steps: 0, burst: true };

/** The rows about the price of a run and of its parts, with sessions in memory. */
export const loopRows: readonly Row[] = [
  toFloor('layers-0', 'A run (2 model calls, 1 tool call) without plugins', plainRun, { shallot: [12, 7] }),
  toLightFloor('light-0', 'A run without plugins, to a lighter floor', plainRun, { async: [12, 7] }),
  toLightFloor('light-10', 'A run with 10 plugins, to a lighter floor', tenLayers, {
    async: [5, 3.2],
    plain: [3.5, 2.3],
  }),
  toLightFloor(
    'light-steps-200',
    'A step of a run with 200 of them, 10 plugins, to a lighter floor',
    { ...tenLayers, steps: 200 },
    { async: [5, 3.7], plain: [3.5, 2.5] },
    200,
  ),
  toFloor('layers-10', 'A run with 10 plugins', tenLayers, { async: [7, 3.5], plain: [5, 2.4] }),
  toFloor(
    'layers-50',
    'A run with 50 plugins',
    { ...plainRun, layers: 50 },
    { async: [4, 2.3], plain: [2.5, 1.4] },
  ),
  toFloor(
    'steps-200',
    'A step of a run with 200 of them, 10 plugins',
    { ...tenLayers, steps: 200 },
    { async: [6, 3], plain: [4, 2] },
    200,
  ),
  toFloor(
    'history-10000',
    'A run in a session of 10,000 messages, 10 plugins',
    { ...tenLayers, history: 10_000 },
    { async: [4, 2], plain: [4, 2] },
  ),
  toFloor(
    'input-10000',
    'A run with 10,000 known messages as its input, 10 plugins',
    { ...tenLayers, history: 10_000, historyIn: 'input' },
    { async: [20, 4], plain: [20, 4] },
  ),
  toFloor(
    'adds-10000',
    'A run on 10,000 messages, to which each of 10 plugins adds one for each model call',
    {
      ...tenLayers,
      history: 10_000,
      adds: true,
    },
  ),
  {
    ...pairedRow('input-new-10000', 'A run with 10,000 new messages as its input, no plugins', [
      side('ai', 'the AI SDK', { ...plainRun, history: 10_000 }, 1, 'ai'),
      {
        ...side('shallot', 'Shallot', { ...plainRun, history: 10_000, historyIn: 'new-input' }, 1),
        bounds: [1, 0.6],
      },
    ]),
    isApart: true,
  },
  toFloor('json-100k', 'A run whose tool returns 100 kB of JSON, no plugins', {
    ...plainRun,
    resultLength: 100_000,
  }),
  pairedRow('calls-1000', 'A tool call of a step with 1,000 of them, no plugins', [
    side('few', 'one of 10', { ...plainRun, calls: 10 }, 10),
    side('many', 'one of 1,000', { ...plainRun, calls: 1000 }, 1000),
    side('floor', 'floor, one of 1,000', { ...plainRun, calls: 1000 }, 1000, 'floor'),
  ]),
  toFloor(
    'chunks-untouched',
    'A streamed chunk that passes 10 plugins',
    untouched,
    { async: [3, 1.5], plain: [3, 1.5] },
    1000,
  ),
  pairedRow('chunks-replaced', 'A streamed chunk that each of 10 plugins replaces', [
    side('generators', 'nested generators', replaced, 1000, 'floor-generators'),
    { ...side('async', 'async taps', replaced, 1000), bounds: [0.4, 0.15] },
    side('floor', 'floor', replaced, 1000, 'floor'),
  ]),
  ...[10, 25, 50].map((layers) =>
    pairedRow(
      `chunks-sync-${layers}`,
      `A streamed chunk that each of ${layers} plugins replaces, with plain functions`,
      [
        side('generators', 'nested generators', { ...replaced, layers }, 1000, 'floor-generators'),
        {
          ...side('plain', 'plain functions', { ...replaced, layers }, 1000, 'shallot-plain'),
          bounds: layers === 50 ? [0.3, 0.2] : [0.4, 0.2],
        },
      ],
    ),
  ),
  pairedRow('chunks-burst', 'A chunk of 100,000 that a model emits without waiting, no plugins', [
    side('few', 'one of 10,000', { ...burst, chunks: 10_000 }, 10_000),
    { ...side('many', 'one of 100,000', { ...burst, chunks: 100_000 }, 100_000), bounds: [1.5, 1] },
  ]),
];

/**
 * Returns a row that compares Shallot with the hand-written loop, whose closures are async: once with async taps in all
 * hooks, and once with plain functions. Without plugins both are the same.
 */
function toFloor(
  id: string,
  title: string,
  workload: Workload,
  bounds: Partial<Record<'shallot' | 'async' | 'plain', Bounds>> = {},
  per = 1,
): Row {
  const ours =
    workload.layers === 0
      ? [{ ...side('shallot', 'Shallot', workload, per), bounds: bounds.shallot }]
      : [
          { ...side('async', 'async taps', workload, per), bounds: bounds.async },
          { ...side('plain', 'plain functions', workload, per, 'shallot-plain'), bounds: bounds.plain },
        ];
  return pairedRow(id, title, [side('floor', 'the floor', workload, per, 'floor'), ...ours]);
}

/**
 * Returns a row that compares two sides in one process with a floor that leaves out whatever a hand-written loop can do
 * without.
 */
function toLightFloor(
  id: string,
  title: string,
  workload: Workload,
  bounds: Partial<Record<'async' | 'plain', Bounds>>,
  per = 1,
): Row {
  const floor = side('floor', 'the lighter floor', workload, per, 'floor-light');
  const ours = { ...side('async', 'async taps', workload, per), bounds: bounds.async };
  if (bounds.plain === undefined) return pairedRow(id, title, [floor, ours]);
  const plain = { ...side('plain', 'plain functions', workload, per, 'shallot-plain'), bounds: bounds.plain };
  return pairedRow(id, title, [floor, ours, plain]);
}

function side(
  key: string,
  label: string,
  workload: Workload,
  per: number,
  subject: PairedSide['subject'] = 'shallot',
): PairedSide {
  return { key, label, subject, workload, per };
}
