/** A test, or a whole file of tests, that cannot run on a platform. */
interface LeftOutTest {
  readonly file: string;
  /** A part of the test's name. Default: all tests of the file. */
  readonly name?: string;
  readonly reason: string;
}

const noPipes = 'Windows has neither mkfifo nor devices among its files';
const noModes = 'Windows does not keep the modes that chmod sets';

/** Tests of the fast lane that cannot run on some platforms. The other lanes use `skipIf` in the tests themselves. */
export const leftOutTests: Readonly<Partial<Record<NodeJS.Platform, readonly LeftOutTest[]>>> = {
  win32: [
    {
      file: 'packages/cli/src/chat/history.test.ts',
      name: 'waits for no pipe in the place of the file, and says that it cannot be kept, once',
      reason: noPipes,
    },
    {
      file: 'packages/plugin-filesystem/src/disk.test.ts',
      name: 'refuse links that lead outside, pipes and devices, and wait for none of them',
      reason: noPipes,
    },
    { file: 'packages/plugin-memory/src/memory.test.ts', name: 'is a FIFO', reason: noPipes },
    { file: 'packages/plugin-memory/src/memory.test.ts', name: 'is a device', reason: noPipes },
    {
      file: 'packages/plugin-memory/src/memory.test.ts',
      name: 'that we may not read fails the run, with its path',
      reason: noModes,
    },
    {
      file: 'packages/plugin-skills/src/finding/load-skills.test.ts',
      name: 'that are missing, empty, files or unreadable are said, and the others count',
      reason: noModes,
    },
    {
      file: 'packages/plugin-skills/src/finding/load-skills.test.ts',
      name: 'that is no regular file is left out at once, with the reason',
      reason: noPipes,
    },
    {
      file: 'packages/plugin-telemetry/src/lines/trace-file.test.ts',
      name: 'refuses what is no file, and what is too large',
      reason: noPipes,
    },
    {
      file: 'packages/plugin-shell/src/shell.test.ts',
      reason: 'the plugin does not start on Windows, which has no process groups',
    },
  ],
};
