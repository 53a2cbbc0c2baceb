import { isShallotError, type JsonSchema, type Tool } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { textPart } from '@shallot/core/plugin';

import { fileTool, pageSettings, type FileToolParts, type FileToolContext } from './file-tool.ts';
import { fileTypes, isOfType, type FileType } from './file-type.ts';
import {
  grepContent,
  grepFile,
  grepOutputs,
  type GrepOutput,
  type GrepParts,
  type GrepResult,
} from './grep-file.ts';
import { isFile } from './is-file.ts';
import { isEither, linePattern } from './line-pattern.ts';
import { counted, Page, withNotes } from './page.ts';
import { pathFits } from './path-fits.ts';
import { globBelowRoot, reachable } from './path.ts';
import { Slices } from './slices.ts';
import { Walk, type FileGroup } from './walk.ts';

interface GrepArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly literal?: boolean;
  readonly ignore_case?: boolean;
  readonly type?: FileType;
  readonly output?: GrepOutput;
  readonly context?: number;
  readonly before?: number;
  readonly after?: number;
  readonly skip?: number;
}

const lineCount = (description: string): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  maximum: 10,
  description,
});

/** Returns the tool that searches the lines of files. */
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
      type: {
        enum: [...fileTypes],
        description: 'Searches only files of a type, by the ending of their name.',
      },
      output: {
        enum: [...grepOutputs],
        description:
          'Shows matching lines, only the files that have some, or how many each has. Default: lines.',
      },
      context: lineCount('So many lines before and after each match are shown. Default: 0.'),
      before: lineCount('So many lines before each match are shown. Default: context.'),
      after: lineCount('So many lines after each match are shown. Default: context.'),
      skip: {
        type: 'integer',
        minimum: 0,
        description: 'So many matches, or files, are left out. Default: 0.',
      },
    },
    required: ['pattern'],
    execute: (args, context) => search(args, parts, context),
  });
}

async function search(
  {
    path: given = '/',
    glob,
    type,
    output = 'lines',
    literal: isLiteral = false,
    ignore_case: ignoreCase = false,
    context = 0,
    before = context,
    after = context,
    skip = 0,
    ...args
  }: GrepArgs,
  { settings, rules }: FileToolParts,
  toolContext: FileToolContext,
) {
  const { files, signal, show } = toolContext;
  const path = await reachable(given, 'directory', rules, toolContext);
  const slices = new Slices(signal);
  const walk = new Walk(files, { rules, ignoreFiles: settings.ignoreFiles, slices });
  const page = new Page(skip, pageSettings(settings, toolContext));
  const pattern = linePattern(args.pattern, isLiteral, ignoreCase);
  const grepping = { pattern, output, before, after, page, show, slices };
  const isWanted = glob === undefined ? undefined : wantedBy(globBelowRoot(glob, files), path);
  const total = { files: 0, binary: 0, longLines: 0, failed: 0, matches: 0 };
  let isMore = false;
  const fits = (file: string): boolean =>
    (isWanted?.(file) ?? true) && (type === undefined || isOfType(file, type));
  for await (const { directory, names } of groupsIn(files, path, walk)) {
    const small = await files.smallFiles?.(directory);
    try {
      for (const name of names) {
        const file = `${directory === '/' ? '' : directory}/${name}`;
        if (!fits(file)) continue;
        const content = small?.read(name);
        const found =
          content === undefined
            ? await grepOne(files, file, grepping)
            : grepContent(asBuffer(content), file, grepping);
        // The least cost of a file, however short.
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
    } finally {
      small?.close();
    }
    if (isMore) break;
  }
  const notes = [
    isMore ? page.more(output === 'lines' ? 'matches' : 'files') : '',
    page.found === 0 ? `No line matches, in ${counted(total.files, 'one file', 'files') || 'no file'}.` : '',
    page.found === 0 ? otherWay(args.pattern, isLiteral) : '',
    total.files === 0 && walk.isEmpty ? await toolContext.didYouMean(path) : '',
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

/**
 * Returns a note about the other reading of a pattern that was found nowhere: as text, or as a regular expression. It is
 * empty if both are the same.
 */
function otherWay(pattern: string, isLiteral: boolean): string {
  if (!isEither(pattern)) return '';
  return isLiteral
    ? 'The text itself was searched for; without literal, the pattern is a regular expression.'
    : 'The pattern is a regular expression; with literal: true, the text itself is searched for.';
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Yields the file that a path names, or the files below it, by directory. */
async function* groupsIn(files: Files, path: string, walk: Walk): AsyncGenerator<FileGroup, void, undefined> {
  const slash = path.lastIndexOf('/');
  if (await isFile(files, path))
    yield { directory: path.slice(0, slash) || '/', names: [path.slice(slash + 1)] };
  else yield* walk.groups(path);
}

async function grepOne(files: Files, file: string, parts: GrepParts): Promise<GrepResult | undefined> {
  try {
    return await grepFile(files, file, parts);
  } catch (error) {
    // The file has gone since it was listed, or cannot be opened. The others are still searched.
    if (isShallotError(error)) return undefined;
    throw error;
  }
}

function wantedBy(glob: string, path: string): (file: string) => boolean {
  if (glob.includes('/')) return pathFits(glob, path);
  const fits = pathFits(glob, '/');
  return (file) => fits(file.slice(file.lastIndexOf('/')));
}
