import { spawnSync } from 'node:child_process';

import { beforeAll, describe, expect, it } from 'vitest';

interface Report {
  readonly summaries: number;
  readonly maxTokens: number;
  readonly totalTokens: number;
  readonly stateBytes: number;
  readonly faults: readonly string[];
  readonly lost: readonly string[];
  readonly samples: readonly {
    readonly heapBytes: number;
    readonly held: number;
    readonly messages: number;
  }[];
}

function report(...args: readonly string[]): Report {
  const program = ['--no-warnings', '--expose-gc', 'two-hundred-rounds.ts', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as Report;
}

describe.each([[[]], [['one-run']], [['unreported']]])(
  'A conversation of 200 large tool calls %j',
  (args) => {
    let found: Report;
    beforeAll(() => {
      found = report(...args);
    }, 300_000);

    it('is summarized more than once', () => {
      const { summaries, totalTokens } = found;
      expect(summaries).toBeGreaterThan(1);
      expect(totalTokens).toBeGreaterThan(100 * 24_000);
    });

    it('has valid requests only, all within the context, with memory and the skill that was read', () => {
      expect(found.faults).toEqual([]);
      expect(found.maxTokens).toBeLessThanOrEqual(24_000);
    });

    it('loses nothing', () => {
      expect(found.lost).toEqual([]);
    });

    it('holds on to no message that is not its own any more, nor to anything else', () => {
      const { samples, stateBytes } = found;
      expect(samples.length).toBeGreaterThan(3);
      for (const { held, messages } of samples) expect(held).toBeLessThanOrEqual(messages + 5);
      expect(stateBytes).toBeLessThan(60_000);
      // More than a megabyte of text goes through it between the first sample and the last.
      const heap = samples.map(({ heapBytes }) => heapBytes);
      expect(Math.max(...heap) - (heap[0] ?? 0)).toBeLessThan(2_000_000);
    });
  },
);
