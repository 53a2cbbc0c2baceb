import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { hostileLines } from '../../test/hostile-lines.ts';
import { Oracle } from '../../test/oracle.ts';
import { judgeLine } from './judge-line.ts';
import { parseRule } from './rule.ts';

const rules = (...texts: readonly string[]) => texts.map(parseRule);
const presets = rules('reading', 'git-reading', 'testing');
const deny = rules('rm');

function makeOracle(): Oracle {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-oracle-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  return new Oracle(root);
}

/** Scripts that are written first: the README says that no parser of lines sees them. */
const isWrittenFirst = (line: string): boolean => /z\.sh|\.\/z|npm pkg set/.test(line);

it(
  'No line in which bash executes a denied program is let through, or executed where nobody is asked',
  { timeout: 500_000 },
  () => {
    const oracle = makeOracle();
    const executed = hostileLines.filter((line) => oracle.run(line));
    expect(executed.length).toBeGreaterThan(500);
    const verdicts = executed.map((line) => ({ line, is: judgeLine(line, { allow: presets, deny }).is }));
    expect(verdicts.filter(({ is }) => is === 'allowed')).toEqual([]);
    expect(verdicts.filter(({ is, line }) => is === 'open' && !isWrittenFirst(line))).toEqual([]);
  },
);
