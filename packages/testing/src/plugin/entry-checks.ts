import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { messageOf } from '@shallot/core/plugin';

import type { ConformanceCheck } from '../conformance.ts';
import { isObject } from '../is-object.ts';
import type { PluginSubject } from '../plugin-suite.ts';

/** Returns checks of `shallot.entry` in a package.json, which `shallot add` writes into configs. */
export function entryChecks(subject: PluginSubject, manifest: URL | undefined): ConformanceCheck[] {
  if (manifest === undefined) return [];
  return [
    {
      name: 'starts with the entry that its package.json proposes',
      async run() {
        const read: unknown = JSON.parse(await readFile(manifest, 'utf8'));
        const own = isObject(read) ? read['shallot'] : undefined;
        const entry = isObject(own) ? own['entry'] : undefined;
        if (entry !== undefined) await startWith(subject, entry);
      },
    },
  ];
}

/** The longest entry in characters, because the command reads no longer ones. */
const longestEntry = 2000;

async function startWith(subject: PluginSubject, entry: unknown): Promise<void> {
  const options = isObject(entry) && Object.keys(entry).join() === 'options' ? entry['options'] : undefined;
  assert.ok(
    isObject(options) && !Array.isArray(options) && JSON.stringify(options).length <= longestEntry,
    `package.json#shallot.entry is ${JSON.stringify(entry).slice(0, 200)}; write { "options": { … } } and nothing else, of at most ${longestEntry} characters`,
  );
  try {
    await subject.withAgent({ plugins: [subject.pluginWith(withVariables(options))] }, async () => {});
  } catch (error) {
    assert.fail(`no agent starts with the options of package.json#shallot.entry: ${messageOf(error)}`);
  }
}

/** Replaces references to environment variables by a text, because their values are not known here. */
function withVariables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withVariables);
  if (!isObject(value)) return value;
  if ('$env' in value) return 'a value of the environment';
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withVariables(member)]));
}
