import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, textOf, type Agent, type JsonObject } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import filesystem from '@shallot/plugin-filesystem';
import hitl from '@shallot/plugin-hitl';
import { scriptedModel } from '@shallot/testing';

type Call = readonly [name: string, args: JsonObject];

/** Calls of all file tools on paths below `/docs`. */
export const callsInDocs: readonly Call[] = [
  ['read_file', { path: '/docs/a.txt' }],
  ['ls', { path: '/docs' }],
  ['glob', { path: '/docs', pattern: '**' }],
  ['grep', { path: '/docs', pattern: 'key|text' }],
  ['grep', { path: '/docs/a.txt', pattern: 'key|text' }],
  ['write_file', { path: '/docs/new.txt', content: 'new' }],
  ['edit_file', { path: '/docs/a.txt', old_string: 't', new_string: 'T', replace_all: true }],
  ['delete_file', { path: '/docs/b.txt' }],
];

/** Policies that let tools use `/docs` but not `/secrets`. */
export const policies = {
  'what is allowed': { allow: ['read(docs/**)', 'edit(docs/**)'], default: 'deny' },
  'what is denied': { deny: ['read(secrets/**)', 'edit(secrets/**)'], default: 'allow' },
} as const;

/** A directory whose `/docs` alternates between a real directory and a link to `/secrets`. */
export class SwappedRoot {
  readonly path = mkdtempSync(join(tmpdir(), 'shallot-swapped-'));
  #isLink = false;

  constructor() {
    for (const name of ['docs', 'secrets']) mkdirSync(join(this.path, name));
    symlinkSync('secrets', join(this.path, 'link'));
    for (const name of ['a.txt', 'b.txt']) {
      writeFileSync(join(this.path, 'docs', name), 'text\n');
      writeFileSync(join(this.path, 'secrets', name), 'the key\n');
    }
    writeFileSync(join(this.path, 'secrets', 'the key.txt'), '');
  }

  swap(): void {
    const at = (name: string): string => join(this.path, name);
    renameSync(at('docs'), at(this.#isLink ? 'link' : 'directory'));
    renameSync(at(this.#isLink ? 'directory' : 'link'), at('docs'));
    this.#isLink = !this.#isLink;
  }

  /** Returns the changes that were made to `/secrets`; empty if there are none. */
  harm(): readonly string[] {
    const folder = join(this.path, 'secrets');
    const found = readdirSync(folder).map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8')}`);
    const before = ['a.txt: the key\n', 'b.txt: the key\n', 'the key.txt: '];
    return [
      ...found.filter((each) => !before.includes(each)),
      ...before.filter((each) => !found.includes(each)),
    ];
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Returns the files with `before` called before each method that takes a path. */
export function withEach(files: Files, before: () => void): Files {
  return {
    ...files,
    list: (...given) => (before(), files.list(...given)),
    stat: (...given) => (before(), files.stat(...given)),
    read: (...given) => (before(), files.read(...given)),
    readText: (...given) => (before(), files.readText(...given)),
    write: (...given) => (before(), files.write(...given)),
    remove: (...given) => (before(), files.remove(...given)),
    smallFiles: async (...given) => (before(), files.smallFiles?.(...given)),
    realPath: async (path) => (before(), (await files.realPath?.(path)) ?? path),
  };
}

/** Has an agent make one call, and returns the tool's result. */
export async function resultOf(
  call: Call,
  files: Files,
  permissions: (typeof policies)[keyof typeof policies],
): Promise<string> {
  await using agent: Agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: call[0], args: call[1] }] }, { text: 'Done.' }]),
    plugins: [filesystem(), hitl({})],
    permissions,
    files,
    log: 'silent',
  });
  const { messages } = await agent.run('Go.');
  const result = messages.find(({ role }) => role === 'tool');
  return result === undefined ? '' : textOf(result);
}
