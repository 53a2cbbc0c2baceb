import { join } from 'node:path';

import { measureInstalledSize } from '../installed-size.ts';
import { figuresOf } from '../node-process.ts';
import { type Bounds, boundsOf, type Figure, type Row } from './row.ts';

const cwd = join(import.meta.dirname, '..');
const timeoutMs = 180_000;
const pluginNames = [
  'contextEditing',
  'hitl',
  'limits',
  'memory',
  'promptCaching',
  'redaction',
  'repair',
  'resilience',
  'skills',
  'summarization',
  'telemetry',
  'toolset',
];

/** The rows about the store alone, our plugins, the model adapter, and an install. */
export const programRows: readonly Row[] = [
  programRow('sqlite-store', 'The store on the disk alone', ['durable-store.ts'], {
    growth: ratio('a commit at message 10,000, to one at message 10', [1.5, 1.1]),
    shortMs: shown('a commit at message 10, wall ms', [1, 1]),
    longMs: shown('a commit at message 10,000, wall ms', [1, 1]),
    listMs: shown('the first page of 10,000 sessions, wall ms'),
  }),
  programRow(
    'summarization',
    'A step below the trigger, and sections of a history file',
    ['summarization.ts'],
    {
      steps: ratio('a step on 10,000 messages, to one on 100', [2, 1.3]),
      sections: ratio('the last ten of 100 sections, to the first ten', [1.5, 1.1]),
      withUs: shown('a step on 10,000 messages, CPU µs'),
      withoutUs: shown('the same without the plugin, CPU µs'),
      sectionUs: shown('a section, CPU µs'),
    },
  ),
  {
    control: 'plainUs',
    ...programRow('plugins', 'What a plugin adds to a run in which it has nothing to do', ['plugins.ts'], {
      ...Object.fromEntries(
        pluginNames.flatMap((name): [string, Figure][] => [
          [name, ratio(`${name}, to a pass-through plugin`, [3, 1.5])],
          [
            `${name}Chunk`,
            ratio(
              `${name}, to a streamed chunk without plugins`,
              name === 'redaction' ? undefined : [1.3, 1.05],
            ),
          ],
        ]),
      ),
      passThroughUs: shown('a pass-through plugin, CPU µs'),
      plainUs: shown('a run without plugins, CPU µs'),
      chunkUs: shown('a chunk without plugins, CPU µs'),
    }),
  },
  apart(
    programRow(
      'real-plugins',
      'Twelve plugins, results of 500 characters, and sessions of any length',
      ['real-plugins.ts'],
      {
        growth: ratio('a step on 10,000 messages, to one on 10', [2, 1.2]),
        shortUs: shown('a step on 10 messages, CPU µs', [120, 60]),
        longUs: shown('a step on 10,000 messages, CPU µs', [200, 100]),
        noneUs: shown('a step without plugins, CPU µs'),
        longStallMs: shown('first turn on 10,000 messages, longest stand-still, ms', [50, 20]),
        longerStallMs: shown('first turn on 100,000 messages, longest stand-still, ms', [50, 20]),
        laterMs: shown('a later turn of 20 steps on 100,000 messages, CPU ms', [160, 80]),
      },
    ),
  ),
  apart(
    programRow(
      'provider-start',
      'shallot run with a real provider, 12 plugins, from start to end',
      ['provider-start.ts'],
      {
        yamlMs: shown('to the first request, over the provider by hand, YAML, ms', [40, 20]),
        typescriptMs: shown('the same, TypeScript, ms'),
        bareMs: shown('the same, YAML without plugins, ms'),
        exit: ratio('from the answer to the end, without plugins, to the provider by hand'),
        exitMs: shown('the same, ms', [25, 15]),
        exitFullMs: shown('the same, with plugins, ms'),
        handMs: shown('by hand, to the first request, ms'),
        handExitMs: shown('by hand, from the answer to the end, ms'),
      },
    ),
  ),
  apart(
    programRow('first-runs', 'The first runs of a process, 10 plugins', ['first-runs.ts'], {
      ten: ratio('runs 2 to 10, to the floor'),
      hundred: ratio('runs 11 to 100, to the floor'),
      thousand: ratio('runs 101 to 1,000, to the floor'),
      pi: ratio('runs 11 to 100, to pi'),
      tenUs: shown('runs 2 to 10, CPU µs'),
      hundredUs: shown('runs 11 to 100, CPU µs', [400, 200]),
      thousandUs: shown('runs 101 to 1,000, CPU µs'),
    }),
  ),
  programRow('long-run', 'A run of 16,000 steps that never waits, with a timer beside it', ['long-run.ts'], {
    growth: ratio('one of the last thousand steps, to one of the first', [1.5, 1.2]),
    late: ratio('turns that a timer of 5 ms waits for another', [10, 3]),
    firstUs: shown('a step of the second thousand, CPU µs'),
    lastUs: shown('a step of the last thousand, CPU µs'),
    stallMs: shown('longest stand-still, ms', [50, 20]),
  }),
  apart(
    programRow('step-bytes', 'What a step writes, results of 500 characters', ['step-bytes.ts'], {
      sqlite: ratio('12 plugins, to none, SQLite', [1.5, 1.2]),
      postgres: ratio('12 plugins, to none, log of PostgreSQL', [1.5, 1.2]),
      sqliteBytes: shown('without plugins, handed to SQLite, bytes'),
      postgresBytes: shown('without plugins, log of PostgreSQL, bytes'),
      insertsBytes: shown('two inserts by hand, log of PostgreSQL, bytes'),
    }),
  ),
  programRow('children', 'A child run, beside a run of the same agent by itself', ['children.ts'], {
    ratio: ratio('a child, to a run by itself', [1.3, 1.1]),
    childUs: shown('a child, CPU µs'),
    runUs: shown('a run by itself, CPU µs'),
    tenMs: shown('a child with ten plugins, CPU ms', [2, 1]),
  }),
  programRow('hook', 'A script before a tool call', ['hook-cost.ts'], {
    overMs: shown('over its process and the run, wall ms', [2, 1]),
    processMs: shown('the process by hand, wall ms'),
  }),
  programRow('shell', 'A command, beside sh -c by hand', ['shell-cost.ts'], {
    ratio: ratio('that does nothing, wall, to sh -c by hand', [1.5, 1.1]),
    oursMs: shown('the same, wall ms'),
    handMs: shown('by hand, wall ms'),
    longOverMs: shown('that prints 1.3 MB, over by hand, wall ms'),
    longHandMs: shown('the same by hand, wall ms'),
  }),
  apart(
    programRow(
      'acp-start',
      'shallot acp with ten plugins, from its start to a session',
      ['acp-cost.ts', 'start'],
      {
        ratio: ratio('wall, to the answer of shallot run', [1.5, 1.1]),
        readyMs: shown('the same, wall ms'),
        runMs: shown('shallot run, wall ms'),
      },
    ),
  ),
  apart(
    programRow(
      'acp-update',
      'A chunk of the model that an editor sees, over a pipe',
      ['acp-cost.ts', 'update'],
      {
        p95Ms: shown('from the chunk to its update, 95 of 100, wall ms', [10, 3]),
        medianMs: shown('the same, median, wall ms'),
        updates: shown('updates'),
      },
    ),
  ),
  apart(
    programRow('search', 'A search in 100,000 files', ['search-cost.ts'], {
      ratio: ratio('CPU, to ripgrep', [8, 2]),
      oursMs: shown('CPU ms'),
      ripgrepMs: shown('ripgrep, CPU ms'),
    }),
  ),
  apart(
    programRow('servers', 'MCP servers at the start of an agent', ['servers-cost.ts'], {
      laterMs: shown('first model call with 17 known servers and three dead, over none, wall ms', [300, 50]),
      firstMs: shown('the same where nothing is known of the 17, wall ms'),
      noneMs: shown('first model call without servers, wall ms'),
      stallMs: shown('a server with 5,000 tools, longest stand-still, CPU ms', [50, 25]),
      stallWallMs: shown('the same, wall ms'),
    }),
  ),
  programRow('redaction', 'Redaction of a tool result, with all detectors', ['redaction.ts'], {
    growth: ratio('a character of 400,000, to one of 50,000', [1.5, 1.1]),
    ms: shown('100,000 characters, CPU ms', [20, 12]),
  }),
  apart(
    programRow('telemetry', 'A run with 10 plugins and telemetry', ['--expose-gc', 'telemetry.ts'], {
      idleRatio: ratio('without an SDK, to a pass-through plugin in its place', [1.1, 1]),
      ownUs: shown('of our own, CPU µs a span', [15, 8]),
      bareUs: shown('a span of the SDK alone, CPU µs'),
      idleUs: shown('a run without an SDK, CPU µs'),
      passUs: shown('a run with the pass-through plugin, CPU µs'),
    }),
  ),
  apart(
    programRow('model', 'What the adapter of AI SDK models adds', ['real-model.ts'], {
      chunkUs: shown('to a streamed chunk, CPU µs', [2, 1]),
      shortUs: shown('to a call with 10 messages, CPU µs', [15, 10]),
      longUs: shown('to a call with 1,000 messages, CPU µs', [1005, 500]),
      directUs: shown('a chunk read directly, CPU µs'),
    }),
  ),
  apart({
    id: 'model-start',
    title: 'From the start of the process to the first request to a provider',
    figures: {
      cpu: ratio("CPU, to a program with the provider's package alone", [1.5, 1.2]),
      wallMs: shown('wall ms'),
    },
    async measure({ nodeArgs }) {
      const floor = await figures([...nodeArgs, 'real-model-start.ts', 'floor']);
      const ours = await figures([...nodeArgs, 'real-model-start.ts', 'shallot']);
      return {
        cpu: (ours['cpuMs'] ?? Number.NaN) / (floor['cpuMs'] ?? Number.NaN),
        wallMs: ours['wallMs'] ?? Number.NaN,
      };
    },
  }),
  installedRow('installed', 'A fresh install of the core', ['@shallot/core'], [5.7, 4]),
  installedRow(
    'installed-model',
    'A fresh install of the core, the adapter of models and the package of one provider',
    ['@shallot/core', '@shallot/model-ai-sdk', '@ai-sdk/openai', 'zod'],
    [20, 18],
  ),
];

function installedRow(id: string, title: string, packages: readonly string[], bounds: Bounds): Row {
  return apart({
    id,
    title,
    figures: {
      contentMb: ratio('MB of content', bounds),
      packages: { label: 'packages', kind: 'count' },
      diskMb: shown('MB on disk'),
    },
    measure: () => Promise.resolve(measureInstalledSize(packages)),
  });
}

function programRow(
  id: string,
  title: string,
  program: readonly string[],
  shownFigures: Row['figures'],
): Row {
  return { id, title, figures: shownFigures, measure: ({ nodeArgs }) => figures([...nodeArgs, ...program]) };
}

function figures(args: readonly string[]): Promise<Record<string, number>> {
  return figuresOf(args, { cwd, timeoutMs });
}

function apart(row: Row): Row {
  return { ...row, isApart: true };
}

function ratio(label: string, bounds?: Bounds): Figure {
  return { label, kind: 'ratio', ...boundsOf(bounds) };
}

function shown(label: string, bounds?: Bounds): Figure {
  return { label, kind: 'shown', ...boundsOf(bounds) };
}
