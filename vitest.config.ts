import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

import { leftOutTests } from './scripts/left-out-tests.ts';

const leftOut = leftOutTests[process.platform] ?? [];

export default defineConfig({
  test: {
    projects: [
      lane('fast', '*.test.ts', ['**/*.{slow,long}.test.ts'], 60_000),
      worked(),
      lane('slow', '*.slow.test.ts', [], 180_000),
      lane('long', '*.long.test.ts', [], 15 * 60_000),
    ],
    // Much of the time is spent waiting for processes: with as many workers as cores a fifth of the machine is idle.
    maxWorkers: availableParallelism() + 1,
    globalSetup: 'scripts/share-compiled-code.ts',
    expect: { poll: { timeout: 15_000 } },
    // What users' modules are imported by has to be Node's own import, not that of the test runner.
    server: { deps: { external: [/\/config\/modules\/native-import\.ts$/] } },
    coverage: {
      // Not v8's own: tests also load sources natively, and it cannot tell the two apart.
      provider: 'istanbul',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      reportOnFailure: true,
      // Of the fast tests alone: the slow ones, in processes of their own, are not measured.
      thresholds: { lines: 85, branches: 78 },
    },
  },
});

/**
 * Tests by what they cost: `fast` ones need no process of their own, `long` ones take minutes. Files of the fast lane
 * share a process and what it has imported, which halves their time; what changes the process itself is not fast.
 */
function lane(name: string, files: string, exclude: readonly string[], testTimeout: number) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`scripts/${files}`, `{packages,examples}/*/**/${files}`],
      exclude: ['**/node_modules/**', '**/dist/**', ...exclude, ...leftOutFiles()],
      ...leftOutNames(),
      isolate: name !== 'fast',
      // Generous: on a machine that is busy with others, a process alone takes ten seconds to start, and a server to stop; the
      // first test of a worker that loads a config imports the core from its sources, which takes half a minute there.
      testTimeout,
      hookTimeout: testTimeout,
    },
  };
}

function leftOutFiles(): string[] {
  return leftOut.filter(({ name }) => name === undefined).map(({ file }) => file);
}

function leftOutNames(): { readonly testNamePattern?: RegExp } {
  const names = leftOut.flatMap(({ name }) => name ?? []);
  return names.length === 0 ? {} : { testNamePattern: new RegExp(`^(?!.*(?:${names.join('|')}))`) };
}

/**
 * The suite of the hooks and of the run once more, with each of its runs submitted, executed by a worker, and followed.
 * What is left out is about whoever has the run in its own process.
 */
function worked() {
  const file = fileURLToPath(new URL('packages/core/test/programs/worked-runs.ts', import.meta.url));
  const leftOut = [
    // A submitted run has its session before an agent is asked.
    'closing while a run loads its session',
    'holds for a run that has not got its session yet',
    'the store, in a commit of ',
    'the store that loads the session',
    'has one timer with all others',
    // An answer from elsewhere is on record before anybody knows which plugins are missing.
    'without the plugin that asked is refused',
    'is missed before anything runs',
    // Nobody waits for the consumer of a stream that is elsewhere.
    'a consumer that lags',
    'names whoever reads its stream',
    'that was awaited before an event was asked for',
    // Their stores cannot commit the end of a claim, with which a run is submitted.
    'is none of the run when its end could not be stored',
    'outlasts a resume that is aborted before it comes there',
    // A worker gives the next run what a run has not read.
    'is left to the next run at the last step',
    'is not repeated if the next run gets it',
  ];
  return {
    extends: true as const,
    plugins: [
      {
        name: 'worked',
        enforce: 'pre' as const,
        resolveId: (source: string, importer: string | undefined) =>
          source === './agent-runs.ts' && importer?.endsWith('/create-agent.ts') === true ? file : undefined,
      },
    ],
    test: {
      name: 'worked',
      include: ['packages/core/src/{hooks,run}/*.test.ts'],
      exclude: [
        '**/*.{slow,long}.test.ts',
        // Whatever they disturb, they do to the run of their own process.
        '**/random-walk.test.ts',
        '**/sent-walk.test.ts',
      ],
      testNamePattern: new RegExp(`^(?!.*(?:${leftOut.join('|')}))`),
      isolate: false,
      testTimeout: 30_000,
    },
  };
}
