import { isShallotError, type Tool, type ToolResult } from '@shallot/core';
import type { FileStat } from '@shallot/core/files';
import { rewriteText, textPart } from '@shallot/core/plugin';

import { fileTool, pathProperty, type FileToolParts, type FileToolContext } from './file-tool.ts';
import { reachable } from './path.ts';
import { Refusal } from './refusal.ts';
import { hasBom, textToChange, toBytes } from './text-to-change.ts';

interface WriteArgs {
  readonly path: string;
  readonly content: string;
}

/** The number of bytes of a file that are read to find out how its lines end. */
const probeBytes = 1024 * 1024;

/** Returns the tool that writes a whole file: a new one, or one whose content the model has seen. */
export function writeFile(parts: FileToolParts): Tool {
  const { settings, rules, inTurn } = parts;
  return fileTool<WriteArgs>(parts, {
    name: 'write_file',
    title: 'Write a file',
    kind: 'edit',
    effect: 'idempotent',
    description:
      'Writes a whole file, and the directories that it needs. A file that exists has to be read first, and must not have changed since. ' +
      `To change a part of a file, use ${settings.prefix}edit_file.`,
    properties: {
      path: pathProperty,
      content: { type: 'string', description: 'All of the new content.' },
    },
    required: ['path', 'content'],
    async execute(args, context) {
      const path = await reachable(args.path, 'file', rules, context);
      if (!args.content.isWellFormed())
        throw new Refusal(
          'The content has half a surrogate pair, which no file can hold. Write whole characters.',
        );
      return inTurn(context.files, path, () => write(path, args.content, parts, context));
    },
  });
}

async function write(
  path: string,
  content: string,
  { known, settings }: FileToolParts,
  { files, run, show }: FileToolContext,
): Promise<ToolResult> {
  const stat = await files.stat(path);
  const { bytes, isSame, notes } = await newContent(path, content, stat, { files, show });
  if (!isSame && stat !== undefined) {
    const revision = known.of(run, path);
    const read = `${settings.prefix}read_file`;
    if (revision === undefined)
      throw new Refusal(
        `${show(path)} exists, and was not read in this session. Call ${read} before you replace it.`,
      );
    if (revision !== stat.revision) throw changed(show(path), read);
  }
  try {
    const revision =
      isSame && stat !== undefined
        ? stat.revision
        : await files.write(path, bytes, { ifRevision: stat?.revision ?? null });
    known.set(run, path, revision);
    const what = stat === undefined ? 'Created' : 'Wrote';
    const said = [`${what} ${show(path)}: ${bytes.length} bytes.`, ...notes, linkNote(stat?.links)];
    const text = said.filter((note) => note !== '').join(' ');
    return {
      content: [textPart(text)],
      data: { path, revision, bytes: bytes.length, created: stat === undefined },
    };
  } catch (error) {
    if (isShallotError(error, 'FILE_CONFLICT')) throw changed(show(path), `${settings.prefix}read_file`);
    throw error;
  }
}

/** Returns a note about a file that has several names: all of them show the change. It is empty for other files. */
export function linkNote(links = 1): string {
  return links > 1
    ? `The file has ${links} names on the disk (hard links); it was changed under all of them.`
    : '';
}

/** Returns the refusal of a change to content that the model has not seen. */
export function changed(shown: string, readTool: string): Refusal {
  return new Refusal(
    `${shown} was changed by somebody since it was read, and was left as it is. Call ${readTool} to see its content now.`,
  );
}

interface NewContent {
  readonly bytes: Buffer;
  /** True if the file already has this content, as after a call that is repeated because of a crash. */
  readonly isSame: boolean;
  readonly notes: readonly string[];
}

/**
 * Returns the bytes to write. Line endings and a byte order mark stay as they are, because the model does not see them.
 * @throws `Refusal` if the file is not text
 */
async function newContent(
  path: string,
  content: string,
  stat: FileStat | undefined,
  { files, show }: Pick<FileToolContext, 'files' | 'show'>,
): Promise<NewContent> {
  if (stat === undefined) return { bytes: toBytes(content, false), isSame: false, notes: [] };
  const read = await files.read(path, { length: probeBytes });
  const before = Buffer.from(read.bytes);
  const text = rewriteText(textToChange(show(path), before, stat.size > before.length), content);
  const bytes = toBytes(text, hasBom(before));
  const notes = [
    text === content ? '' : 'Its lines end in CRLF, as before.',
    hasBom(before) ? 'Its byte order mark was kept.' : '',
  ].filter((note) => note !== '');
  return { bytes, isSame: stat.size === before.length && bytes.equals(before), notes };
}
