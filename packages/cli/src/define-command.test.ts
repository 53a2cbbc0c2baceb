import { expect, it } from 'vitest';

import { defineCommand } from './define-command.ts';
import type { Screen } from './terminal/screen.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly limit: string;
}

const row = { name: 'prune', about: 'Prunes.', args: [['<session>', 'the session']] } as const;
const [dryRun, limit] = [['--dry-run', ''] as const, ['-n, --limit <n>', '', { default: '20' }] as const];
const prune = async (_session: string, _options: Options, _screen: Screen): Promise<void> => {};
const load = async () => prune;

it('a command takes what its function takes, and what is handled before it is called', () => {
  const command = defineCommand({ ...row, flags: [dryRun, limit, ['--debug', '']], load });
  expect(command.flags).toHaveLength(3);
});

it('the compiler refuses what does not fit', () => {
  const refused = [
    // @ts-expect-error -- a flag that the function does not know
    defineCommand({ ...row, flags: [dryRun, limit, ['--force', '']], load }),
    // @ts-expect-error -- an option without a flag
    defineCommand({ ...row, flags: [limit], load }),
    // @ts-expect-error -- a flag without a value
    defineCommand({ ...row, flags: [dryRun, ['--limit', '', { default: '20' }]], load }),
    // @ts-expect-error -- an option that may be missing
    defineCommand({ ...row, flags: [dryRun, ['-n, --limit <n>', '']], load }),
    // @ts-expect-error -- an argument that may be missing
    defineCommand({ ...row, args: [['[session]', '']], flags: [dryRun, limit], load }),
  ];
  expect(refused).toHaveLength(5);
});
