import type { JsonObject } from '@shallot/core';

import { globs, passages, searches, shaped, spellings, type Habits } from './habits.ts';

/** A call of a model that has not seen the result of the call before. */
export type HabitCall = readonly [name: string, args: JsonObject];

/** Returns the calls of a model for each of ten tasks. `root` is the absolute path of the repository. */
export function habitTasks(habits: Habits, root: string): Readonly<Record<string, readonly HabitCall[]>> {
  const inShape = ([name, args]: HabitCall): HabitCall => [name, shaped(habits.agent, name, args)];
  const tasks = Object.entries(plainTasks(habits, root));
  return Object.fromEntries(tasks.map(([task, calls]) => [task, calls.map(inShape)]));
}

/** Returns the same calls with the argument names of our tools. */
function plainTasks(habits: Habits, root: string): Readonly<Record<string, readonly HabitCall[]>> {
  const at = (path: string): string => spellings[habits.paths](root, path);
  const search = searches[habits.patterns];
  const glob = globs[habits.globs];
  const passage = passages[habits.edits];
  const edit = (path: string, before: readonly string[], after: readonly string[]): HabitCall => [
    'edit_file',
    { path: at(path), old_string: passage(before), new_string: passage(after) },
  ];
  return {
    'find a definition': [['grep', { pattern: search('pathsOf'), path: at('src') }]],
    'find a definition in some files': [
      ['grep', { pattern: search('showPath'), path: at(''), glob: glob.sources, context: 2 }],
    ],
    'find the tests': [['glob', { pattern: glob.tests }]],
    'look around': [
      ['ls', { path: at('src') }],
      ['read_file', { path: at('package.json') }],
      ['shell', { command: 'ls src | head -5; wc -l package.json' }],
    ],
    'read a part of a file': [['read_file', { path: at('src/path.ts'), offset: 5, limit: 20 }]],
    'change two lines': [
      ['read_file', { path: at('src/is-file.ts') }],
      edit(
        'src/is-file.ts',
        [
          "import { isShallotError } from '@shallot/core';",
          "import type { Files } from '@shallot/core/files';",
        ],
        [
          "import type { Files } from '@shallot/core/files';",
          "import { isShallotError } from '@shallot/core';",
        ],
      ),
    ],
    'change two passages of a file': [
      ['read_file', { path: at('src/index.ts') }],
      [
        'edit_file',
        {
          path: at('src/index.ts'),
          edits: [
            { old_string: 'default', new_string: 'main' },
            { old_string: './options.ts', new_string: './settings.ts' },
          ],
        },
      ],
    ],
    'rename a name': [
      ['grep', { pattern: String.raw`notAFile|isFile`, output: 'files' }],
      [
        'edit_file',
        { path: at('src/is-file.ts'), old_string: 'isFile', new_string: 'isRegular', replace_all: true },
      ],
      ['shell', { command: 'grep -rn isRegular src' }],
    ],
    'add a file': [
      ['write_file', { path: at('src/deep/new-file.ts'), content: 'export const one = 1;\n' }],
      ['read_file', { path: at('src/deep/new-file.ts') }],
      ['shell', { command: `node ${spellings.absolute(root, 'src/deep/new-file.ts')}` }],
    ],
    'rewrite a file': [
      ['read_file', { path: at('src/refusal.ts') }],
      ['write_file', { path: at('src/refusal.ts'), content: 'export class Refusal extends Error {}\n' }],
      ['delete_file', { path: at('src/media-type.ts') }],
    ],
  };
}
