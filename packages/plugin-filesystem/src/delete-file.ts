import type { Tool } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import { fileTool, pathProperty, type FileToolParts } from './file-tool.ts';
import { reachable } from './path.ts';
import { changed } from './write-file.ts';

/** Returns the tool that deletes a file. */
export function deleteFile(parts: FileToolParts): Tool {
  const { settings, rules, known, inTurn } = parts;
  return fileTool<{ readonly path: string }>(parts, {
    name: 'delete_file',
    title: 'Delete a file',
    kind: 'delete',
    effect: 'idempotent',
    description: 'Deletes a file. A file that was changed by somebody since it was read is left as it is.',
    properties: { path: pathProperty },
    required: ['path'],
    async execute({ path: given }, { files, run, show, didYouMean }) {
      const path = await reachable(given, 'file', rules, { files, show });
      return inTurn(files, path, async () => {
        const revision = known.of(run, path);
        const stat = revision === undefined ? undefined : await files.stat(path);
        if (stat !== undefined && stat.revision !== revision)
          throw changed(show(path), `${settings.prefix}read_file`);
        const wasThere = await files.remove(path);
        known.forget(run, path);
        const near = wasThere ? '' : await didYouMean(path);
        const text = wasThere
          ? `Deleted ${show(path)}.`
          : `There is no file ${show(path)}. ${near}`.trimEnd();
        return { content: [textPart(text)], data: { path, deleted: wasThere } };
      });
    },
  });
}
