import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { hostileSpellings } from '../../test/hostile-lines.ts';
import { Oracle } from '../../test/oracle.ts';
import { bubblewrap, checkBubblewrap } from '../running/bubblewrap.ts';
import { judgeLine } from './judge-line.ts';
import { parseRule } from './rule.ts';

const works = await checkBubblewrap(process.env).then(
  () => true,
  () => false,
);

/** Programs that the README names: a rule with a star opens everything that their code and files say. */
const opening =
  /^(?:awk|sed|man|less|node|python3|npm|npx|make|pytest|cargo|go|nice|timeout|time|nohup|command|env) /;

// In a sandbox, since some of these lines set the clock or the name of the machine.
it.runIf(works)(
  'No rule with a star lets through a spelling that executes a program',
  { timeout: 500_000 },
  () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-spellings-')));
    onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
    const oracle = new Oracle(root, bubblewrap(root, false));
    const allowed = hostileSpellings.filter((line) => {
      const [program = '', command = ''] = line.split(' ');
      const allow = [`${program} *`, ...(program === 'git' ? [`git ${command} *`] : [])].map(parseRule);
      return !opening.test(line) && judgeLine(line, { allow, deny: [] }).is === 'allowed';
    });
    expect(allowed.length).toBeGreaterThan(20);
    expect(allowed.filter((line) => oracle.run(line))).toEqual([]);
  },
);

it.runIf(works)('The list has spellings that execute', { timeout: 500_000 }, () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-spellings-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const oracle = new Oracle(root, bubblewrap(root, false));
  const some = hostileSpellings.filter((line) =>
    /^(?:sort|tar|git grep|git ls-remote|find|fdfind|split) /.test(line),
  );
  expect(some.filter((line) => oracle.run(line.replaceAll(';', String.raw`\;`))).length).toBeGreaterThan(40);
});
