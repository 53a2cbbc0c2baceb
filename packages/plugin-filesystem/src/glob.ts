import { isShallotError, type Tool, type ToolResult } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { textPart } from '@shallot/core/plugin';

import { fileTool, pageSettings, type FileToolParts, type FileToolContext } from './file-tool.ts';
import { counted, Page, withNotes } from './page.ts';
import { pathFits } from './path-fits.ts';
import { globBelowRoot, reachable } from './path.ts';
import { Slices } from './slices.ts';
import { Walk } from './walk.ts';

interface GlobArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly sort?: 'path' | 'time';
  readonly skip?: number;
}

/** The most files that are sorted by their time. */
const maxSorted = 10_000;

/** Returns the tool that finds files by their paths. */
export function glob(parts: FileToolParts): Tool {
  return fileTool<GlobArgs>(parts, {
    name: 'glob',
    title: 'Find files',
    kind: 'search',
    effect: 'read',
    description: 'Finds files by a pattern of their path, such as **/*.ts. Leaves out ignored files.',
    properties: {
      pattern: {
        type: 'string',
        description:
          'What the path below the directory must fit: * matches within a name, ** over directories.',
      },
      path: { type: 'string', description: 'The directory to search in. Default: /.' },
      sort: {
        enum: ['path', 'time'],
        description: 'The order: by path, or those first that were changed last. Default: path.',
      },
      skip: { type: 'integer', minimum: 0, description: 'So many files are left out. Default: 0.' },
    },
    required: ['pattern'],
    execute: (args, context) => find(args, parts, context),
  });
}

async function find(
  { pattern, path: given = '/', sort = 'path', skip = 0 }: GlobArgs,
  { settings, rules }: FileToolParts,
  context: FileToolContext,
): Promise<ToolResult> {
  const { files, signal, show: shown } = context;
  const path = await reachable(given, 'directory', rules, context);
  const glob = globBelowRoot(pattern, files);
  const fits = pathFits(glob, path);
  // A pattern without a slash matches only directly in the directory, which models often do not intend. A note then
  // tells them about files below.
  const deeper = glob.includes('/') ? undefined : pathFits(`**/${glob}`, path);
  const slices = new Slices(signal);
  const walk = new Walk(files, { rules, ignoreFiles: settings.ignoreFiles, slices });
  const page = new Page(skip, pageSettings(settings, context));
  const found: string[] = [];
  let below = 0;
  let isMore = false;
  const show = (file: string): boolean => {
    isMore = page.isFull;
    if (isMore) return false;
    if (page.isSkipping) page.skip();
    else {
      page.add(shown(file));
      found.push(file);
    }
    return true;
  };
  const matching: string[] = [];
  for await (const file of walk.files(path)) {
    if (slices.spend(file.length * 50)) await slices.rest();
    if (!fits(file)) below += Number(deeper?.(file) === true);
    else if (sort === 'time') matching.push(file);
    else if (!show(file)) break;
    if (matching.length === maxSorted) break;
  }
  for (const file of await byTime(matching, files, slices)) if (!show(file)) break;
  const notes = [
    isMore ? page.more('files') : '',
    matching.length === maxSorted ? `Only the first ${maxSorted} files that match were sorted.` : '',
    page.found === 0 ? 'No file matches.' : '',
    walk.isEmpty ? await context.didYouMean(path) : '',
    below === 0
      ? ''
      : `The pattern matches in ${shown(path)} itself only; **/${glob} also finds ${counted(below, 'one file', 'files')} in directories below.`,
    counted(walk.ignored, 'One ignored entry was left out.', 'ignored entries were left out.'),
    counted(walk.unreadable, 'One directory could not be read.', 'directories could not be read.'),
  ];
  return { content: [textPart(withNotes(page.lines, notes))], data: { files: found, isMore } };
}

/** Returns files in the order of their last change, the latest first; those whose time is unknown come last. */
async function byTime(paths: readonly string[], files: Files, slices: Slices): Promise<readonly string[]> {
  const times = new Map<string, number>();
  for (const path of paths) {
    times.set(path, await timeOf(path, files));
    if (slices.spend(20_000)) await slices.rest();
  }
  return paths.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}

async function timeOf(path: string, files: Files): Promise<number> {
  try {
    return (await files.stat(path))?.modified ?? 0;
  } catch (error) {
    // The file was replaced by something else after it was listed.
    if (isShallotError(error)) return 0;
    throw error;
  }
}
