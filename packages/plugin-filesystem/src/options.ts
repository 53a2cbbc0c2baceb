import { option, optionsSchema, type ShapeOutput, type StandardSchemaWithJson } from '@shallot/core/plugin';

/** The tools, without their prefix. */
export const fileTools = [
  'ls',
  'read_file',
  'write_file',
  'edit_file',
  'delete_file',
  'glob',
  'grep',
] as const;

/** The name of a tool of the plugin, without its prefix. */
export type FileToolName = (typeof fileTools)[number];

/** The spellings in which paths are printed. */
export const pathSpellings = ['root', 'machine'] as const;
/** A spelling in which paths are printed. */
export type PathSpelling = (typeof pathSpellings)[number];

/** Options of the plugin. */
export interface FilesystemOptions {
  /** The tools to offer. Default: all of them. */
  readonly tools?: readonly FileToolName[];
  /** A prefix for the names of the tools: `work_` makes `work_read_file`. Default: none. */
  readonly prefix?: string;
  /** Leaves out the tools that change files. Default: false. */
  readonly readOnly?: boolean;
  /** Files that no tool reaches, besides protected ones, in the syntax of `.gitignore`. Default: none. */
  readonly ignore?: readonly string[];
  /**
   * Names of files with patterns in the syntax of `.gitignore`, for the directory that contains them: `ls`, `glob`
   * and `grep` leave out the matches. Default: `['.gitignore']`.
   */
  readonly ignoreFiles?: readonly string[];
  /**
   * The spelling in which paths are printed: `root` for `/src/a.ts`, `machine` for the path on this machine, if the
   * files are on its disk. Both are accepted. Default: `root`.
   */
  readonly paths?: PathSpelling;
  /** The most lines that `read_file` returns. Default: 2,000. */
  readonly maxLines?: number;
  /** The most characters that a tool returns. Default: 50,000. */
  readonly maxCharacters?: number;
  /** The most entries or matches that `ls`, `glob` and `grep` return. Default: 200. */
  readonly maxResults?: number;
  /** The largest file that `edit_file` changes, in bytes. Default: 16 MiB. */
  readonly maxEditBytes?: number;
  /** The largest image or PDF that `read_file` shows to the model, in bytes. Default: 4 MiB. */
  readonly maxMediaBytes?: number;
}

const shape = {
  tools: option
    .list(option.oneOf(...fileTools), { min: 1 })
    .default(fileTools)
    .describe('The tools to offer.'),
  prefix: option
    .text('up to 40 letters, digits, "_" and "-"', /^[A-Za-z0-9_-]{0,40}$/)
    .default('')
    .describe('Put before the names of the tools.'),
  readOnly: option.boolean().default(false).describe('Leaves out the tools that change files.'),
  ignore: option
    .list(option.text())
    .default([])
    .describe('Files that no tool reaches, besides protected ones, in the syntax of .gitignore.'),
  ignoreFiles: option
    .list(option.text('the name of a file, without a directory', /^[^/\0]+$/))
    .default(['.gitignore'])
    .describe('Names of files with patterns: listings and searches leave out what matches.'),
  paths: option
    .oneOf(...pathSpellings)
    .default('root')
    .describe(
      'How paths are printed: from the root of the files on, or as those of the machine. Both are taken.',
    ),
  maxLines: option.integer({ min: 1 }).default(2000).describe('The most lines that read_file returns.'),
  maxCharacters: option
    .integer({ min: 1000, max: 1_000_000 })
    .default(50_000)
    .describe('The most characters that a tool returns.'),
  maxResults: option
    .integer({ min: 1, max: 10_000 })
    .default(200)
    .describe('The most entries or matches that ls, glob and grep return.'),
  maxEditBytes: option
    .integer({ min: 1, max: 64 * 1024 * 1024 })
    .default(16 * 1024 * 1024)
    .describe('The largest file that edit_file changes, in bytes.'),
  maxMediaBytes: option
    .integer({ min: 0, max: 64 * 1024 * 1024 })
    .default(4 * 1024 * 1024)
    .describe('The largest image or PDF that read_file shows to the model, in bytes.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The schema of the options, which is also available as JSON Schema for config files. */
export const filesystemOptions: StandardSchemaWithJson<FilesystemOptions, Settings> = optionsSchema(shape);
