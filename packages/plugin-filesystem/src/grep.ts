import { isShallotError, type Tool, type ToolContext } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { textPart } from '@shallot/core/plugin';

import { fileTool, type FileToolParts } from './file-tool.ts';
import { grepFile, type GrepParts, type GrepResult } from './grep-file.ts';
import { isEither, linePattern } from './line-pattern.ts';
import { counted, Page, withNotes } from './page.ts';
import { pathPattern } from './path-pattern.ts';
import { reachable } from './path.ts';
import { Slices } from './slices.ts';
import { Walk } from './walk.ts';

interface GrepArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly literal?: boolean;
  readonly ignore_case?: boolean;
  readonly context?: number;
  readonly skip?: number;
}

/** The tool that searches the lines of files. */
export function grep(parts: FileToolParts): Tool {
  return fileTool<GrepArgs>(parts, {
    name: 'grep',
    title: 'Search in files',
    kind: 'search',
    effect: 'read',
    description:
      'Searches the lines of files for a regular expression (RE2 syntax), or with literal for the text itself. ' +
      'Ignored and binary files are left out.',
    properties: {
      pattern: { type: 'string', description: 'The regular expression or the text to find.' },
      path: { type: 'string', description: 'The directory or the file to search in. Default: /.' },
      glob: {
        type: 'string',
        description: 'Searches only files whose path fits: src/**/*.ts; without a /, whose name fits: *.ts.',
      },
      literal: { type: 'boolean', description: 'The pattern is the text itself. Default: false.' },
      ignore_case: { type: 'boolean', description: 'Upper and lower case are the same. Default: false.' },
      context: {
        type: 'integer',
        minimum: 0,
        maximum: 10,
        description: 'So many lines before and after each match are shown. Default: 0.',
      },
      skip: { type: 'integer', minimum: 0, description: 'So many matches are left out. Default: 0.' },
    },
    required: ['pattern'],
    execute: (args, context) => search(args, parts, context),
  });
}

async function search(
  {
    path: given = '/',
    glob,
    literal: isLiteral = false,
    ignore_case: ignoreCase = false,
    context = 0,
    skip = 0,
    ...args
  }: GrepArgs,
  { settings, rules }: FileToolParts,
  { files, signal }: ToolContext,
) {
  const path = await reachable(given, 'directory', rules, files);
  const slices = new Slices(signal);
  const walk = new Walk(files, { rules, ignoreFiles: settings.ignoreFiles, slices });
  const page = new Page(skip, settings);
  const grepping = { pattern: linePattern(args.pattern, isLiteral, ignoreCase), context, page, slices };
  const isWanted = glob === undefined ? undefined : wantedBy(glob, path);
  const total = { files: 0, binary: 0, longLines: 0, failed: 0, matches: 0 };
  let isMore = false;
  for await (const file of pathsIn(files, path, walk)) {
    if (isWanted?.(file) === false) continue;
    const found = await grepOne(files, file, grepping);
    // The lowest cost of a stat, a read and a line.
    if (slices.spend(20_000)) await slices.rest();
    if (found === undefined) {
      total.failed += 1;
      continue;
    }
    total.files += 1;
    total.binary += Number(found.isBinary);
    total.longLines += found.longLines;
    total.matches += found.matches;
    ({ isMore } = found);
    if (isMore) break;
  }
  const notes = [
    isMore ? page.more('matches') : '',
    page.found === 0 ? `No line matches, in ${counted(total.files, 'one file', 'files') || 'no file'}.` : '',
    page.found === 0 ? otherWay(args.pattern, isLiteral) : '',
    counted(
      total.binary,
      'One file is binary and was not searched.',
      'files are binary and were not searched.',
    ),
    counted(
      total.longLines,
      'One long line was searched in its beginning only.',
      'long lines were searched in their beginning only.',
    ),
    counted(total.failed, 'One file could not be read.', 'files could not be read.'),
    counted(walk.ignored, 'One ignored entry was left out.', 'ignored entries were left out.'),
    counted(walk.unreadable, 'One directory could not be read.', 'directories could not be read.'),
  ];
  const data = { matches: total.matches, searched: total.files, isMore };
  return { content: [textPart(withNotes(page.lines, notes))], data };
}

/** Returns what else may be meant by a pattern that is found nowhere. */
function otherWay(pattern: string, isLiteral: boolean): string {
  if (!isEither(pattern)) return '';
  return isLiteral
    ? 'The text itself was searched for; without literal, the pattern is a regular expression.'
    : 'The pattern is a regular expression; with literal: true, the text itself is searched for.';
}

/** The file that a path names, or those below it. */
async function* pathsIn(files: Files, path: string, walk: Walk): AsyncGenerator<string, void, undefined> {
  if (await isFile(files, path)) yield path;
  else yield* walk.files(path);
}

async function isFile(files: Files, path: string): Promise<boolean> {
  if (path === '/') return false;
  try {
    return (await files.stat(path)) !== undefined;
  } catch (error) {
    // A directory.
    if (isShallotError(error, 'FILE_KIND')) return false;
    throw error;
  }
}

async function grepOne(files: Files, file: string, parts: GrepParts): Promise<GrepResult | undefined> {
  try {
    return await grepFile(files, file, parts);
  } catch (error) {
    // Gone since it was listed, or not to be opened: the others are searched.
    if (isShallotError(error)) return undefined;
    throw error;
  }
}

function wantedBy(glob: string, path: string): (file: string) => boolean {
  const fits = pathPattern(glob);
  const isName = !glob.includes('/');
  const below = path === '/' ? 1 : path.length + 1;
  return (file) => fits(isName ? file.slice(file.lastIndexOf('/') + 1) : file.slice(below));
}
