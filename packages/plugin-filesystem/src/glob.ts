import type { Tool } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import { fileTool, type FileToolParts } from './file-tool.ts';
import { counted, Page, withNotes } from './page.ts';
import { pathPattern } from './path-pattern.ts';
import { reachable, showPath } from './path.ts';
import { Slices } from './slices.ts';
import { Walk } from './walk.ts';

interface GlobArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly skip?: number;
}

/** The tool that finds files by their paths. */
export function glob(parts: FileToolParts): Tool {
  const { settings, rules } = parts;
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
      skip: { type: 'integer', minimum: 0, description: 'So many files are left out. Default: 0.' },
    },
    required: ['pattern'],
    async execute({ pattern, path: given = '/', skip = 0 }, { files, signal }) {
      const path = await reachable(given, 'directory', rules, files);
      const fits = pathPattern(pattern);
      const slices = new Slices(signal);
      const walk = new Walk(files, { rules, ignoreFiles: settings.ignoreFiles, slices });
      const page = new Page(skip, settings);
      const found: string[] = [];
      let isMore = false;
      for await (const file of walk.files(path)) {
        if (slices.spend(file.length * 50)) await slices.rest();
        if (!fits(file.slice(path === '/' ? 1 : path.length + 1))) continue;
        isMore = page.isFull;
        if (isMore) break;
        if (page.isSkipping) page.skip();
        else {
          page.add(showPath(file));
          found.push(file);
        }
      }
      const notes = [
        isMore ? page.more('files') : '',
        page.found === 0 ? 'No file matches.' : '',
        counted(walk.ignored, 'One ignored entry was left out.', 'ignored entries were left out.'),
        counted(walk.unreadable, 'One directory could not be read.', 'directories could not be read.'),
      ];
      return { content: [textPart(withNotes(page.lines, notes))], data: { files: found, isMore } };
    },
  });
}
