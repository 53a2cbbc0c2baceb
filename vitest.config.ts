import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['scripts/*.test.ts', '{packages,examples}/*/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // Generous, because some tests start processes on a machine that is busy with others.
    testTimeout: 20_000,
    // Much of the time is spent waiting for processes, also on two cores.
    maxWorkers: Math.max(2, availableParallelism()),
    // What users' modules are imported by has to be Node's own import, not that of the test runner.
    server: { deps: { external: [/\/config\/native-import\.ts$/] } },
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
