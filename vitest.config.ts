import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      lane('fast', '*.test.ts', ['**/*.{slow,long}.test.ts'], 20_000),
      lane('slow', '*.slow.test.ts', [], 60_000),
      lane('long', '*.long.test.ts', [], 15 * 60_000),
    ],
    // Much of the time is spent waiting for processes, also on two cores.
    maxWorkers: Math.max(2, availableParallelism()),
    expect: { poll: { timeout: 15_000 } },
    // What users' modules are imported by has to be Node's own import, not that of the test runner.
    server: { deps: { external: [/\/config\/modules\/native-import\.ts$/] } },
    coverage: {
      // Not v8's own: tests also load sources natively, and it cannot tell the two apart.
      provider: 'istanbul',
      include: ['packages/*/src/**/*.ts'],
      // Programs that tests start as processes of their own are not measured.
      exclude: ['**/*.test.ts', '**/testing-programs/**'],
      reporter: ['text-summary', 'json-summary', 'html'],
      reportOnFailure: true,
      thresholds: { lines: 90, branches: 85 },
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
      exclude: ['**/node_modules/**', '**/dist/**', ...exclude],
      isolate: name !== 'fast',
      // Generous, because the machine may be busy with others.
      testTimeout,
    },
  };
}
