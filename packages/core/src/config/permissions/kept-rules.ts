import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { isShallotError, ShallotError } from '../../base/errors.ts';
import type { KeptRules } from '../../contract/permissions/permission-files.ts';
import { diskFiles } from '../../files/disk-files.ts';
import { perKey } from '../../files/per-key.ts';
import { protectFile } from '../../files/protection/loaded-files.ts';
import { isSealed, sealed } from '../../files/protection/seal.ts';
import { option } from '../../options/options-schema.ts';
import { rulesOption } from '../../options/permissions-option.ts';
import { readRules } from './read-rules.ts';

const keptOption = option.object({ allow: rulesOption('allow') });

const head = `# Rules that people kept with "always": calls that are executed without a question.
# shallot permissions list shows them, shallot permissions remove removes one.
`;

/** The maximum number of attempts at a change while other processes keep changing the file first. */
const attempts = 100;

/** Opens the file of a project's kept rules, which may be missing. `user` is as in `refuseForeign`. @throws as `readRules` */
export async function openKeptRules(file: string, startTimeoutMs: number, user?: number): Promise<KeptRules> {
  const read = async (): Promise<Known> => {
    const text = textOf(file);
    return { text, rules: (await readRules(file, keptOption, startTimeoutMs, user))?.allow ?? [] };
  };
  let known = await read();
  protectFile(file);
  const files = diskFiles(dirname(file));
  const path = `/${basename(file)}`;

  const inTurn = perKey();
  const changeOnce = async (make: (rules: readonly string[]) => readonly string[]): Promise<boolean> => {
    for (let attempt = 1; ; attempt += 1) {
      // Read before the content, so that a change in between is noticed.
      const before = await files.stat(path, { own: true });
      const now = await read();
      if (now.text !== known.text && !isSealed(now.text, file)) throw changedBySomebody(file);
      const rules = make(now.rules);
      const isChange = rules.length !== now.rules.length;
      const text = isChange ? sealed(textFor(rules), file) : now.text;
      try {
        if (isChange) await files.write(path, text, { ifRevision: before?.revision ?? null, own: true });
        known = { text, rules };
        return isChange;
      } catch (error) {
        if (!isShallotError(error, 'FILE_CONFLICT') || attempt >= attempts) throw error;
      }
    }
  };

  /** Makes changes of this process wait for one another, rather than for the lock. */
  const change: typeof changeOnce = (make) => inTurn(path, () => changeOnce(make));

  return {
    from: file,
    list: () => known.rules,
    add: async (rule) => {
      await change((rules) => (rules.includes(rule) ? rules : [...rules, rule]));
    },
    remove: (rule) => change((rules) => rules.filter((each) => each !== rule)),
  };
}

/** The file as this process read or wrote it last. */
interface Known {
  readonly text: string;
  readonly rules: readonly string[];
}

function textFor(rules: readonly string[]): string {
  if (rules.length === 0) return head;
  return head + ['allow:', ...rules.map((rule) => `  - ${JSON.stringify(rule)}`), ''].join('\n');
}

/** Returns the text of a file; an empty string if it is missing. `readRules` reports any other problem. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A missing file has no rules; `readRules` refuses a file that cannot be read.
    return '';
  }
}

/**
 * Returns the error for a file that another program has changed. It may contain a rule that nobody approved, because a
 * command of the model can write there.
 */
function changedBySomebody(file: string): ShallotError {
  return new ShallotError('FILE_CHANGED', {
    message: `${file} was changed since this agent started, and not by Shallot. Look at its rules, then start the agent again.`,
    at: { file },
  });
}
