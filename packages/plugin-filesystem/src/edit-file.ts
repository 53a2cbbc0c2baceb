import { setImmediate } from 'node:timers/promises';

import { isShallotError, type Tool, type ToolContext, type ToolResult } from '@shallot/core';
import { messageOf, replaceInText, textPart } from '@shallot/core/plugin';

import { fileTool, pathProperty, type FileToolParts } from './file-tool.ts';
import { reachable, showPath } from './path.ts';
import { Refusal } from './refusal.ts';
import { hasBom, textToChange, toBytes } from './text-to-change.ts';
import { changed } from './write-file.ts';

interface EditArgs {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** The tool that replaces a passage of a file. */
export function editFile(parts: FileToolParts): Tool {
  const { rules, inTurn } = parts;
  return fileTool<EditArgs>(parts, {
    name: 'edit_file',
    title: 'Edit a file',
    kind: 'edit',
    effect: 'write',
    description:
      'Replaces a passage of a text file. old_string has to stand in the file exactly so, white space included, and once; ' +
      'add lines around it until it does, or set replace_all.',
    properties: {
      path: pathProperty,
      old_string: {
        type: 'string',
        minLength: 1,
        description: 'The passage as it stands in the file, without line numbers.',
      },
      new_string: { type: 'string', description: 'What stands in its place; empty to remove it.' },
      replace_all: { type: 'boolean', description: 'Replaces it wherever it occurs. Default: false.' },
    },
    required: ['path', 'old_string', 'new_string'],
    async execute(args, context) {
      const path = await reachable(args.path, 'file', rules, context.files);
      if (!args.new_string.isWellFormed())
        throw new Refusal(
          'new_string has half a surrogate pair, which no file can hold. Write whole characters.',
        );
      return inTurn(context.files, path, () => edit({ ...args, path }, parts, context));
    },
  });
}

async function edit(
  { path, old_string: old, new_string: replacement, replace_all: all = false }: EditArgs,
  { known, settings }: FileToolParts,
  { files, run }: ToolContext,
): Promise<ToolResult> {
  const { maxEditBytes, prefix } = settings;
  const readTool = `${prefix}read_file`;
  const size = (await files.stat(path))?.size ?? 0;
  if (size > maxEditBytes)
    throw new Refusal(
      `${showPath(path)} has ${size} bytes; files of at most ${maxEditBytes} bytes can be edited.`,
    );
  const { bytes, revision } = await files.read(path);
  const knownRevision = known.of(run, path);
  if (knownRevision !== undefined && knownRevision !== revision) throw changed(path, readTool);
  // Between the stages others have their turn: each may take some milliseconds.
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  await setImmediate();
  const text = textToChange(path, before);
  await setImmediate();
  const replaced = replace(path, text, { old, replacement, all }, readTool);
  await setImmediate();
  try {
    const written = await files.write(path, toBytes(replaced.text, hasBom(before)), { ifRevision: revision });
    known.set(run, path, written);
    const times = replaced.count === 1 ? 'one passage' : `${replaced.count} passages`;
    const differing =
      ' The passage differed from old_string in white space at the ends of lines, in line ends or in quotes.';
    const said = `Replaced ${times} in ${showPath(path)}.${replaced.isLoose === true ? differing : ''}`;
    return { content: [textPart(said)], data: { path, revision: written, replaced: replaced.count } };
  } catch (error) {
    if (isShallotError(error, 'FILE_CONFLICT')) throw changed(path, readTool);
    throw error;
  }
}

/** @throws `Refusal` */
function replace(
  path: string,
  text: string,
  edit: Parameters<typeof replaceInText>[1],
  readTool: string,
): ReturnType<typeof replaceInText> {
  if (edit.old === edit.replacement)
    throw new Refusal('old_string and new_string are the same: nothing was changed.');
  try {
    return replaceInText(text, edit);
  } catch (error) {
    const why = messageOf(error);
    const advice = `Call ${readTool} to see it, and repeat the passage exactly, or add lines around it, or set replace_all.`;
    throw new Refusal(
      `${showPath(path)} was not changed: ${why}${why.includes('\n') ? '\n' : '. '}${advice}`,
    );
  }
}
