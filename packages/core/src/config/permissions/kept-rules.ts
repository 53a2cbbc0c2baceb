import { basename, dirname } from 'node:path';

import { isShallotError } from '../../base/errors.ts';
import type { KeptRules } from '../../contract/permissions/permission-files.ts';
import { diskFiles } from '../../files/disk-files.ts';
import { protectFile } from '../../files/loaded-files.ts';
import { perKey } from '../../files/per-key.ts';
import { option } from '../../options/options-schema.ts';
import { permissionRule } from '../../options/permissions-option.ts';
import { readRules } from './read-rules.ts';

const keptOption = option.object({ allow: option.list(permissionRule) });

const head = `# Rules that people kept with "always": calls that are executed without a question.
# shallot permissions list shows them, shallot permissions remove removes one.
`;

/** The attempts at a change that other processes overtake. */
const attempts = 100;

/** Opens the file of a project's kept rules, which may be missing. @throws as `readRules` */
export async function openKeptRules(file: string, startTimeoutMs: number): Promise<KeptRules> {
  const read = async (): Promise<readonly string[]> =>
    (await readRules(file, keptOption, startTimeoutMs))?.allow ?? [];
  let rules = await read();
  protectFile(file);
  const files = diskFiles(dirname(file));
  const path = `/${basename(file)}`;

  const inTurn = perKey();
  const changeOnce = async (make: (rules: readonly string[]) => readonly string[]): Promise<boolean> => {
    for (let attempt = 1; ; attempt += 1) {
      // Before the content, so that a change in between is noticed.
      const before = await files.stat(path, { own: true });
      const known = await read();
      const changed = make(known);
      rules = changed;
      if (changed.length === known.length) return false;
      const text = head + ['allow:', ...changed.map((rule) => `  - ${JSON.stringify(rule)}`), ''].join('\n');
      try {
        await files.write(path, changed.length === 0 ? head : text, {
          ifRevision: before?.revision ?? null,
          own: true,
        });
        return true;
      } catch (error) {
        if (!isShallotError(error, 'FILE_CONFLICT') || attempt >= attempts) throw error;
      }
    }
  };

  /** Changes of this process wait for one another, rather than for the lock. */
  const change: typeof changeOnce = (make) => inTurn(path, () => changeOnce(make));

  return {
    from: file,
    list: () => rules,
    add: async (rule) => {
      await change((known) => (known.includes(rule) ? known : [...known, rule]));
    },
    remove: (rule) => change((known) => known.filter((each) => each !== rule)),
  };
}
