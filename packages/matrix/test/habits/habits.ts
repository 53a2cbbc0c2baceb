import type { JsonObject, JsonValue } from '@shallot/core';

/** The ways in which a model that was trained for another agent writes its calls. */
export interface Habits {
  readonly agent: keyof typeof addresses;
  readonly paths: keyof typeof spellings;
  readonly patterns: keyof typeof searches;
  readonly globs: keyof typeof globs;
  readonly edits: keyof typeof passages;
}

/** The public tool descriptions that the habits are taken from. */
export const addresses = {
  opencode: [
    'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/tool/grep.txt',
    'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/tool/edit.txt',
    'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/tool/edit.ts',
    'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/tool/read.ts',
    'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/tool/grep.ts',
    'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/tool/bash.ts',
  ],
  cline: [
    'https://github.com/cline/cline/blob/main/src/core/prompts/system-prompt/tools/search_files.ts',
    'https://github.com/cline/cline/blob/main/src/core/prompts/system-prompt/tools/replace_in_file.ts',
    'https://github.com/cline/cline/blob/main/src/core/prompts/system-prompt/tools/execute_command.ts',
  ],
  'gemini-cli': [
    'https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/definitions/model-family-sets/default-legacy.ts',
    'https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/definitions/base-declarations.ts',
  ],
  pi: [
    'https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/src/core/tools/edit.ts',
    'https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/src/core/tools/grep.ts',
  ],
} as const;

/** The argument names of another agent's tool, by ours, and its additional arguments. */
interface Shape {
  readonly names?: Readonly<Record<string, string>>;
  readonly more?: JsonObject;
}

const file = { path: 'file_path' };
const directory = { path: 'dir_path' };

/** The shapes of arguments, by agent and by our tool. */
const shapes: Readonly<Record<keyof typeof addresses, Readonly<Record<string, Shape>>>> = {
  opencode: {
    read_file: { names: { path: 'filePath' } },
    write_file: { names: { path: 'filePath' } },
    edit_file: {
      names: {
        path: 'filePath',
        old_string: 'oldString',
        new_string: 'newString',
        replace_all: 'replaceAll',
      },
    },
    grep: { names: { glob: 'include' } },
    shell: { more: { description: 'Shows what is there' } },
  },
  cline: {
    grep: { names: { pattern: 'regex', glob: 'file_pattern' } },
    shell: { more: { requires_approval: false } },
  },
  'gemini-cli': {
    read_file: { names: { ...file, offset: 'start_line', limit: 'end_line' } },
    write_file: { names: file },
    edit_file: {
      names: { ...file, replace_all: 'allow_multiple' },
      more: { instruction: 'Changes what the user wants changed.' },
    },
    ls: { names: directory },
    glob: { names: directory },
    grep: { names: { ...directory, glob: 'include_pattern' } },
    shell: { more: { description: 'Shows what is there.' } },
  },
  pi: {
    edit_file: { names: { old_string: 'oldText', new_string: 'newText' } },
  },
};

/** Returns arguments in the shape that another agent's tool has. */
export function shaped(agent: Habits['agent'], tool: string, args: JsonObject): JsonObject {
  const { names = {}, more = {} } = shapes[agent][tool] ?? {};
  const rename = (value: JsonValue): JsonValue => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(rename);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [names[name] ?? name, rename(each)]),
    );
  };
  return { ...(rename(args) as JsonObject), ...more };
}

/** Ways to write a path. `root` is the absolute path of the working directory. */
export const spellings = {
  /** Absolute, as compilers print paths, and as opencode and gemini-cli ask for them. */
  absolute: (root: string, path: string) => `${root}/${path}`,
  /** Relative to the working directory, as cline asks for paths. */
  relative: (_: string, path: string) => path,
  dotted: (_: string, path: string) => `./${path}`,
  rooted: (_: string, path: string) => `/${path}`,
  winding: (root: string, path: string) => `${root}/docs/../${path}`,
} as const;

/** Patterns that search for the definition of a function. */
export const searches = {
  /** "function\s+\w+", as in the description of opencode. */
  spaced: (name: string) => String.raw`function\s+${name}`,
  /** '\bMatchMe\b', as in the description of gemini-cli. */
  bounded: (name: string) => String.raw`\b${name}\b`,
  /** Rust syntax, as in the description of cline. */
  grouped: (name: string) => String.raw`(?:async )?function (?:${name})\(`,
  plain: (name: string) => `function ${name}(`,
  loose: (name: string) => `export .*${name}`,
} as const;

/** Patterns for test files, and for the TypeScript files to search. */
export const globs = {
  deep: { tests: '**/*.test.ts', sources: '**/*.ts' },
  below: { tests: 'src/**/*.test.ts', sources: 'src/**' },
  /** "*.{ts,tsx}", as in the descriptions of opencode and gemini-cli. */
  braces: { tests: '**/*.{test,spec}.ts', sources: '*.{ts,tsx}' },
  /** '*.ts', as in the description of cline. */
  shallow: { tests: '*.test.ts', sources: '*.ts' },
} as const;

/** Ways to repeat lines of a file. */
export const passages = {
  exact: (lines: readonly string[]) => lines.join('\n'),
  /** With a line end after the last line, as cline asks for it. */
  complete: (lines: readonly string[]) => `${lines.join('\n')}\n`,
  /** With CRLF, because pi accepts any line ends. */
  crlf: (lines: readonly string[]) => lines.join('\r\n'),
  trailing: (lines: readonly string[]) => lines.map((line) => `${line}  `).join('\n'),
  curly: (lines: readonly string[]) => lines.join('\n').replaceAll(/'([^']*)'/g, '‘$1’'),
} as const;

type Row = readonly [Habits['agent'], Habits['paths'], Habits['patterns'], Habits['globs'], Habits['edits']];

const rows: readonly Row[] = [
  ['opencode', 'absolute', 'spaced', 'deep', 'exact'],
  ['opencode', 'absolute', 'spaced', 'braces', 'trailing'],
  ['opencode', 'absolute', 'loose', 'below', 'exact'],
  ['opencode', 'relative', 'spaced', 'deep', 'curly'],
  ['opencode', 'winding', 'plain', 'braces', 'exact'],
  ['cline', 'relative', 'grouped', 'shallow', 'complete'],
  ['cline', 'relative', 'grouped', 'deep', 'complete'],
  ['cline', 'dotted', 'bounded', 'shallow', 'complete'],
  ['cline', 'absolute', 'grouped', 'below', 'trailing'],
  ['cline', 'relative', 'plain', 'shallow', 'exact'],
  ['gemini-cli', 'absolute', 'bounded', 'deep', 'exact'],
  ['gemini-cli', 'absolute', 'spaced', 'below', 'trailing'],
  ['gemini-cli', 'absolute', 'bounded', 'braces', 'curly'],
  ['gemini-cli', 'relative', 'loose', 'deep', 'exact'],
  ['gemini-cli', 'rooted', 'plain', 'below', 'complete'],
  ['pi', 'relative', 'bounded', 'deep', 'crlf'],
  ['pi', 'absolute', 'spaced', 'deep', 'crlf'],
  ['pi', 'dotted', 'plain', 'below', 'exact'],
  ['pi', 'absolute', 'loose', 'braces', 'curly'],
  ['pi', 'relative', 'grouped', 'shallow', 'trailing'],
];

/** Twenty models, each with its own combination of habits. */
export const models: readonly Habits[] = rows.map(([agent, paths, patterns, glob, edits]) => ({
  agent,
  paths,
  patterns,
  globs: glob,
  edits,
}));
