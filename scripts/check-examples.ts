// Runs the `start` script of every example as a newcomer would. Each must end by itself, exit with 0, and print
// something.
import { relative } from 'node:path';

import { runToEnd } from './run-to-end.ts';
import { root, workspacePackages } from './workspace.ts';

const examples = workspacePackages().filter(
  ({ folder, manifest }) =>
    relative(root, folder).startsWith('examples') && manifest.scripts?.start !== undefined,
);

/** An example that takes longer is assumed to hang. On a busy machine the longest takes over a minute. */
const timeoutMs = 180_000;

const failures: string[] = [];
for (const { folder } of examples) {
  const { status, stdout, output } = await runToEnd('pnpm', ['run', '--silent', 'start'], {
    cwd: folder,
    timeoutMs,
  });
  if (status === 0 && stdout.trim() !== '') continue;
  const reason = status === 0 ? 'printed nothing on stdout' : `ended with exit status ${status}`;
  failures.push(`${relative(root, folder)} ${reason}\n${output.trim()}`);
}
if (failures.length > 0) {
  console.error(failures.join('\n\n'));
  process.exitCode = 1;
} else {
  console.log(`${examples.length} started and ended well`);
}
