import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { errorCodes } from './base/error-codes.ts';
import { hookNames } from './base/hook-names.ts';
import { configKeys, pluginEntryKeys } from './config/check/config-keys.ts';
import { modelErrors } from './contract/model-error.ts';

/** Returns the names in the first cells of a document's tables, in the sections that have one of these headings. */
function namesInTables(document: string, sections: readonly string[]): string[] {
  const text = readFileSync(new URL(`../../../docs/reference/${document}`, import.meta.url), 'utf8');
  return text
    .split(/^## /m)
    .filter((section) => sections.includes(section.split('\n', 1)[0] ?? ''))
    .flatMap((section) => [...section.matchAll(/^\| `([^`]+)`[^|]*\|/gm)].map(([, name = '']) => name));
}

describe('the reference', () => {
  it('has a row for every error code, and none for others', () => {
    const sections = [
      'Setting up',
      'Config files',
      'The command',
      'Packages',
      'Running',
      'Sessions',
      'Files',
      'Network',
      'Testing',
    ];
    expect(namesInTables('errors.md', sections).toSorted()).toEqual(Object.keys(errorCodes).toSorted());
  });

  it('says of every error of a model whether it is transient', () => {
    const text = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
    const rows = text.matchAll(/^\| `(MODEL_\w+)` +\| (yes|no) +\|$/gm);
    expect(Object.fromEntries([...rows].map(([, code, said]) => [code, said === 'yes']))).toEqual(
      modelErrors,
    );
  });

  it('has a row for every key of a config and of an entry of its plugins, and none for others', () => {
    expect(namesInTables('config.md', ['Keys'])).toEqual(Object.keys(configKeys));
    expect(namesInTables('config.md', ['Entries of plugins'])).toEqual(Object.keys(pluginEntryKeys));
  });

  it('names the six hooks in their order', () => {
    const [first] = readFileSync(new URL('../../../docs/reference/hooks.md', import.meta.url), 'utf8').split(
      '## ',
    );
    const named = [...(first ?? '').matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
    expect(named).toEqual([...hookNames, ...hookNames]);
  });
});
