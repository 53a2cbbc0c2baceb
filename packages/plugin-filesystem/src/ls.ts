import type { Tool } from '@shallot/core';
import { isShallotError } from '@shallot/core';
import type { FileEntry } from '@shallot/core/files';
import { textPart } from '@shallot/core/plugin';

import { fileTool, pageSettings, type FileToolParts, type FileToolContext } from './file-tool.ts';
import { counted, Page, withNotes } from './page.ts';
import { reachable } from './path.ts';
import { Slices } from './slices.ts';
import { Walk } from './walk.ts';

interface ListArgs {
  readonly path?: string;
  readonly skip?: number;
}

/** Returns the tool that lists one directory. */
export function ls(parts: FileToolParts): Tool {
  const { settings, rules } = parts;
  return fileTool<ListArgs>(parts, {
    name: 'ls',
    title: 'List a directory',
    kind: 'read',
    effect: 'read',
    description: 'Lists a directory: directories with a / at the end, files with their size in bytes.',
    properties: {
      path: { type: 'string', description: 'The directory. Default: /.' },
      skip: { type: 'integer', minimum: 0, description: 'So many entries are left out. Default: 0.' },
    },
    async execute({ path: given = '/', skip = 0 }, context) {
      const path = await reachable(given, 'directory', rules, context);
      const slices = new Slices(context.signal);
      const found = new Walk(context.files, { rules, ignoreFiles: settings.ignoreFiles, slices });
      const entries = await found.entries(path);
      const page = new Page(skip, pageSettings(settings, context));
      for (const entry of entries) {
        if (page.isFull) break;
        if (page.isSkipping) page.skip();
        else page.add(await describe(entry, context));
      }
      const notes = [
        page.found < entries.length ? page.more('entries') : '',
        counted(found.ignored, 'One ignored entry is not shown.', 'ignored entries are not shown.'),
        ...(entries.length + found.ignored === 0
          ? [`${context.show(path)} is empty or does not exist.`, await context.didYouMean(path)]
          : []),
      ];
      const shown = entries.slice(skip, page.found);
      const data = { path, entries: shown.map(({ path: each, kind }) => ({ path: each, kind })) };
      return { content: [textPart(withNotes(page.lines, notes))], data };
    },
  });
}

async function describe({ path, kind }: FileEntry, { files, show }: FileToolContext): Promise<string> {
  const name = show(path);
  if (kind === 'directory') return `${name}/`;
  if (kind === 'other')
    return `${name} (cannot be opened: a link that leads nowhere or outside, a pipe or a device)`;
  try {
    const stat = await files.stat(path);
    if (stat !== undefined) return `${name} (${stat.size} bytes)`;
    if (path.includes('\ufffd')) return `${name} (cannot be opened: its name is not UTF-8)`;
    return `${name} (gone)`;
  } catch (error) {
    // One entry that became something else must not hide the others.
    if (isShallotError(error)) return `${name} (cannot be opened)`;
    throw error;
  }
}
