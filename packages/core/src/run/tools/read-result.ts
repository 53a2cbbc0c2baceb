import { ShallotError } from '../../base/errors.ts';
import { textPart } from '../../contract/messages.ts';
import { defineTool, type Tool, type ToolContext } from '../../contract/tool.ts';
import { isShownResult } from '../../files/with-results.ts';

/** The name of the tool that reads kept results if no other tool reads files. */
export const readResultName = 'read_result';

interface ReadResultArgs {
  readonly path: string;
  readonly offset?: number;
  readonly find?: string;
}

/** The characters of a page per token of the limit: fewer than most texts have per token. */
const charactersPerToken = 2;

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};

/** Reads back a result that was too large for the conversation, page by page. */
export const readResult: Tool = defineTool({
  name: readResultName,
  title: 'Read a result',
  kind: 'read',
  effect: 'read',
  maxResultTokens: Infinity,
  description:
    'Reads a large result of a tool, which was kept as a file, page by page. A note at the end says where the next page begins.',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The path that the result names: /results/….' },
      offset: {
        type: 'integer',
        minimum: 0,
        description: 'The first character to show, from 0. Default: 0.',
      },
      find: {
        type: 'string',
        minLength: 1,
        description:
          'Shows the page that begins with the line of the first place of this text, from offset on.',
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  locations: (input) => [{ path: (input as unknown as ReadResultArgs).path }],
  execute: async (input, context) => {
    // The schema allows only these arguments.
    const args = input as unknown as ReadResultArgs;
    if (!isShownResult(args.path))
      throw new ShallotError('FILE_PATH', {
        message: `${JSON.stringify(args.path)} is not the path of a kept result. Use the path that a result names: /results/….`,
      });
    const extension = args.path.slice(args.path.lastIndexOf('.') + 1);
    const mediaType = mediaTypes[extension];
    return mediaType === undefined ? readPage(args, context) : readMedia(args.path, mediaType, context);
  },
});

async function readMedia(path: string, mediaType: string, { files }: ToolContext) {
  const { bytes } = await files.read(path);
  const data = Buffer.from(bytes).toString('base64');
  return { content: [textPart(`${path} is ${mediaType}.`), { type: 'file' as const, mediaType, data }] };
}

async function readPage({ path, offset = 0, find }: ReadResultArgs, { files, maxResultTokens }: ToolContext) {
  const { text } = await files.readText(path);
  const found = find === undefined ? offset : text.indexOf(find, offset);
  if (found === -1) return `[${JSON.stringify(find)} does not occur from character ${offset} on.]`;
  if (offset > 0 && offset >= text.length) return `[The result has only ${text.length} characters.]`;
  const from = find === undefined ? offset : Math.max(offset, text.lastIndexOf('\n', found) + 1);
  const to = Math.min(text.length, Math.floor(from + Math.max(1000, maxResultTokens * charactersPerToken)));
  const isEnd = to === text.length;
  const range = `Characters ${from} to ${to} of ${text.length} are shown.`;
  const next = isEnd ? 'This is the end.' : `Call ${readResultName} with offset ${to} for what follows.`;
  return `${text.slice(from, to).toWellFormed()}\n[${range} ${next}]`;
}
