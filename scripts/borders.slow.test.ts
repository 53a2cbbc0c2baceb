import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { runToEnd } from './run-to-end.ts';
import { root } from './workspace.ts';

/** File → what it imports. */
const crossings: readonly (readonly [file: string, imported: string])[] = [
  ['packages/core/src/base/a.ts', '../run/b.ts'],
  ['packages/core/src/redact/a.ts', '../files/b.ts'],
  ['packages/core/src/contract/a.ts', '../hooks/b.ts'],
  ['packages/core/src/contract/b.ts', '../agent.ts'],
  ['packages/core/src/hooks/a.ts', '../sessions/b.ts'],
  ['packages/core/src/sessions/content/a.ts', '../stores/b.ts'],
  ['packages/core/src/run/a.ts', '../plugins/b.ts'],
  ['packages/core/src/run/model/a.ts', '../tools/b.ts'],
  ['packages/core/src/run/parts/a.ts', '../b.ts'],
  ['packages/core/src/run/tools/a.ts', '../../agent.ts'],
  ['packages/core/src/plugins/a.ts', '../config/b.ts'],
  ['packages/core/src/agent.ts', '@shallot/plugin-hitl'],
  ['packages/core/src/config/a.ts', '@shallot/plugin-hitl'],
  ['packages/core/src/config/packages/a.ts', '../modules/b.ts'],
  ['packages/core/src/config/read/a.ts', '../load-agent.ts'],
  ['packages/core/src/work.ts', '../../testing/src/b.ts'],
  ['packages/core/src/run/b.ts', '../../../testing/src/b.ts'],
  ['packages/plugin-a/src/a.ts', '@shallot/plugin-hitl'],
  ['packages/plugin-a/src/c.ts', '@shallot/testing'],
  ['packages/testing/src/a.ts', '../../core/src/b.ts'],
  ['packages/model-ai-sdk/src/answer/a.ts', '../prompt/b.ts'],
  ['packages/plugin-telemetry/src/observe/a.ts', '../otel/b.ts'],
  ['packages/plugin-telemetry/src/otel/a.ts', '../telemetry.ts'],
  ['packages/cli/src/a.ts', '@shallot/plugin-hitl'],
  ['packages/cli/src/terminal/a.ts', '../rendering/b.ts'],
  ['packages/cli/src/chat/a.ts', '../commands/b.ts'],
];

const allowed: typeof crossings = [
  ['packages/core/src/contract/c.ts', '../base/a.ts'],
  ['packages/core/src/run/model/b.ts', '../b.ts'],
  ['packages/core/src/sessions/live/b.ts', '../content/b.ts'],
  ['packages/core/src/plugins/b.ts', '../run/tools/b.ts'],
  ['packages/core/src/base/a.test.ts', '../agent.ts'],
  ['packages/core/src/base/b.test.ts', '../../../testing/src/b.ts'],
  ['packages/testing/src/b.ts', '@shallot/core/store'],
  ['packages/core/src/config/check/b.ts', '../../base/errors.ts'],
  ['packages/cli/src/work/b.ts', '../asking/b.ts'],
  ['packages/plugin-a/src/b.ts', '@shallot/core'],
  ['packages/model-ai-sdk/src/prompt/b.ts', '../errors/b.ts'],
  ['packages/plugin-telemetry/src/otel/b.ts', '../observe/activity.ts'],
  ['packages/plugin-telemetry/src/otel/c.ts', '../../package.json'],
];

it('each crossing of a border is an error of the linter, and nothing else is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-borders-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of ['oxlint.config.ts', 'scripts/borders.ts', 'tsconfig.json', 'package.json']) {
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, imported] of [...crossings, ...allowed]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), `import { b } from '${imported}';\n\nexport const a: unknown = b;\n`);
  }
  const { stdout } = await runToEnd('oxlint', ['packages', '--format=unix'], { cwd: folder });
  const found = stdout.split('\n').filter((line) => line.includes('no-restricted-imports'));
  expect(found.map((line) => line.split(':')[0] ?? '').toSorted()).toEqual(
    crossings.map(([file]) => file).toSorted(),
  );
});
