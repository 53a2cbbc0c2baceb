import { definePlugin, type Tool } from '@shallot/core';
import { callMatcherKey } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { deleteFile } from './delete-file.ts';
import { editFile } from './edit-file.ts';
import type { FileToolParts } from './file-tool.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { knownRevisions } from './known-revisions.ts';
import { ls } from './ls.ts';
import { filesystemOptions, type FileToolName } from './options.ts';
import { fileMatcher } from './permissions/file-matcher.ts';
import { readFile } from './read-file.ts';
import { turns } from './turns.ts';
import { writeFile } from './write-file.ts';

const makers: Readonly<Record<FileToolName, (parts: FileToolParts) => Tool>> = {
  ls,
  read_file: readFile,
  write_file: writeFile,
  edit_file: editFile,
  delete_file: deleteFile,
  glob,
  grep,
};

const changing: ReadonlySet<FileToolName> = new Set(['write_file', 'edit_file', 'delete_file']);

/**
 * Gives the model tools for the files of the run: they list, read, search, write, edit and delete. They reach nothing but
 * the file service of the run, so they are the same on disk, in memory and in a database.
 */
export const filesystem = definePlugin({
  name: 'filesystem',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 43,
  options: filesystemOptions,
  setup({ id, options, tools, state, provide }) {
    const parts: FileToolParts = {
      settings: options,
      rules: new IgnoreRules(options.ignore),
      known: knownRevisions(state),
      inTurn: turns(),
    };
    const offered = options.tools.filter((name) => !(options.readOnly && changing.has(name)));
    const names = [...new Set(offered)];
    tools.add(names.map((name) => makers[name](parts)));
    provide(callMatcherKey(id), fileMatcher(options.prefix, names));
  },
});
