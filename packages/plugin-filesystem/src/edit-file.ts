import { setImmediate } from 'node:timers/promises';

import { isShallotError, type JsonSchema, type Tool, type ToolResult } from '@shallot/core';
import { messageOf, replaceInText, textPart, type TextEdit } from '@shallot/core/plugin';

import { fileTool, pathProperty, type FileToolParts, type FileToolContext } from './file-tool.ts';
import { reachable } from './path.ts';
import { Refusal } from './refusal.ts';
import { hasBom, textToChange, toBytes } from './text-to-change.ts';
import { changed, linkNote } from './write-file.ts';

interface EditPart {
  readonly old_string?: string;
  readonly new_string?: string;
  readonly replace_all?: boolean;
}

interface EditArgs extends EditPart {
  readonly path: string;
  readonly edits?: readonly EditPart[];
}

const passage: Readonly<Record<keyof EditPart, JsonSchema>> = {
  old_string: {
    type: 'string',
    minLength: 1,
    description: 'The passage as it stands in the file, without line numbers.',
  },
  new_string: { type: 'string', description: 'What stands in its place; empty to remove it.' },
  replace_all: { type: 'boolean', description: 'Replaces it wherever it occurs. Default: false.' },
};

/** Returns the tool that replaces passages of a file. */
export function editFile(parts: FileToolParts): Tool {
  const { rules, inTurn } = parts;
  return fileTool<EditArgs>(parts, {
    name: 'edit_file',
    title: 'Edit a file',
    kind: 'edit',
    effect: 'write',
    description:
      'Replaces a passage of a text file. old_string has to stand in the file exactly so, white space included, and once; ' +
      'add lines around it until it does, or set replace_all. For several passages of one file, give edits instead: all are made, or none.',
    properties: {
      path: pathProperty,
      ...passage,
      edits: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: {
          type: 'object',
          properties: passage,
          required: ['old_string', 'new_string'],
          additionalProperties: false,
        },
        description:
          'Several passages to replace, each as it stands in the file before the call. They must not overlap.',
      },
    },
    required: ['path'],
    async execute(args, context) {
      const path = await reachable(args.path, 'file', rules, context);
      const edits = editsOf(args);
      return inTurn(context.files, path, () => edit(path, edits, parts, context));
    },
  });
}

/**
 * Returns the edits that a call asks for. @throws `Refusal` for arguments that name no edit, or one that cannot be
 * made
 */
function editsOf({ edits, ...single }: EditArgs): readonly TextEdit[] {
  if (edits !== undefined && (single.old_string !== undefined || single.new_string !== undefined))
    throw new Refusal('Give either edits, or old_string and new_string. Nothing was changed.');
  return (edits ?? [single]).map(({ old_string: old, new_string: replacement, replace_all: all = false }) => {
    if (old === undefined || replacement === undefined)
      throw new Refusal('Give old_string and new_string, or edits with both. Nothing was changed.');
    if (!replacement.isWellFormed())
      throw new Refusal(
        'new_string has half a surrogate pair, which no file can hold. Write whole characters.',
      );
    if (old === replacement)
      throw new Refusal('old_string and new_string are the same: nothing was changed.');
    return { old, replacement, all };
  });
}

async function edit(
  path: string,
  edits: readonly TextEdit[],
  { known, settings }: FileToolParts,
  { files, run, show }: FileToolContext,
): Promise<ToolResult> {
  const { maxEditBytes, prefix } = settings;
  const readTool = `${prefix}read_file`;
  const { size = 0, links } = (await files.stat(path)) ?? {};
  if (size > maxEditBytes)
    throw new Refusal(
      `${show(path)} has ${size} bytes; files of at most ${maxEditBytes} bytes can be edited.`,
    );
  const { bytes, revision } = await files.read(path);
  const knownRevision = known.of(run, path);
  if (knownRevision !== undefined && knownRevision !== revision) throw changed(show(path), readTool);
  // Each stage may take some milliseconds, so other work gets a turn between them.
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  await setImmediate();
  const text = textToChange(show(path), before);
  await setImmediate();
  const replaced = replace(show(path), text, edits, readTool);
  await setImmediate();
  try {
    const written = await files.write(path, toBytes(replaced.text, hasBom(before)), { ifRevision: revision });
    known.set(run, path, written);
    const times = replaced.count === 1 ? 'one passage' : `${replaced.count} passages`;
    const notes = [
      replaced.isLoose === true
        ? 'A passage differed from old_string in white space at the ends of lines, in line ends or in quotes.'
        : '',
      linkNote(links),
    ].filter((note) => note !== '');
    const said = [`Replaced ${times} in ${show(path)}.`, ...notes].join(' ');
    return { content: [textPart(said)], data: { path, revision: written, replaced: replaced.count } };
  } catch (error) {
    if (isShallotError(error, 'FILE_CONFLICT')) throw changed(show(path), readTool);
    throw error;
  }
}

/** Applies the edits to a text. @throws `Refusal` if one of them cannot be applied */
function replace(
  shown: string,
  text: string,
  edits: readonly TextEdit[],
  readTool: string,
): ReturnType<typeof replaceInText> {
  try {
    return replaceInText(text, edits);
  } catch (error) {
    const why = messageOf(error);
    const advice = `Call ${readTool} to see it, and repeat the passage exactly, or add lines around it, or set replace_all.`;
    throw new Refusal(`${shown} was not changed: ${why}${why.includes('\n') ? '\n' : '. '}${advice}`);
  }
}
