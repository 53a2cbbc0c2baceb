import type { Tool, ToolResult } from '@shallot/core';
import { fullPath, textPart } from '@shallot/core/plugin';

import {
  fileTool,
  pageSettings,
  pathProperty,
  type FileToolParts,
  type FileToolContext,
} from './file-tool.ts';
import { mediaTypeOf } from './media-type.ts';
import { reachable, type ShowPath } from './path.ts';
import { Refusal } from './refusal.ts';
import { scanLines, type Line } from './scan-lines.ts';
import { Slices } from './slices.ts';
import { whyNotText, withoutBom } from './text-to-change.ts';

interface ReadArgs {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly column?: number;
}

/**
 * The most characters of a line that are shown if several lines are wanted, so that one long line leaves room for the
 * others.
 */
const maxLineCharacters = 2000;

/** Returns the tool that shows the lines of a text file, an image or a PDF. */
export function readFile(parts: FileToolParts): Tool {
  const { settings, rules, known } = parts;
  return fileTool<ReadArgs>(parts, {
    name: 'read_file',
    title: 'Read a file',
    kind: 'read',
    effect: 'read',
    readsFiles: true,
    description:
      'Reads a file. Of a text file it shows lines, each with its number and a tab before it, which are not part of the file. ' +
      'Images and PDFs are shown as they are. A note at the end says what was left out and how to read it.',
    properties: {
      path: pathProperty,
      offset: { type: 'integer', minimum: 1, description: 'The first line to show, from 1. Default: 1.' },
      limit: {
        type: 'integer',
        minimum: 1,
        description: `The most lines to show. Default: ${settings.maxLines}.`,
      },
      column: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000_000,
        description: 'The first character of each line to show, from 1: for very long lines. Default: 1.',
      },
    },
    required: ['path'],
    locations: ({ path, offset }) => [
      offset === undefined ? { path: fullPath(path) } : { path: fullPath(path), line: offset },
    ],
    async execute(args, context) {
      const path = await reachable(args.path, 'file', rules, context);
      const limit = Math.min(args.limit ?? settings.maxLines, settings.maxLines);
      const view = new LineView({ ...args, path, limit }, pageSettings(settings, context).maxCharacters);
      const slices = new Slices(context.signal);
      const { keepBytes } = view;
      let mediaType: string | undefined;
      const beginning = (bytes: Buffer): boolean => {
        mediaType = mediaTypeOf(bytes);
        if (mediaType === undefined) refuseBinary(path, bytes, context.show);
        return mediaType === undefined;
      };
      const line = (each: Line): boolean => view.take(each);
      const scanned = await scanLines(context.files, path, { keepBytes, slices, line, beginning });
      if (scanned.hasChanged) known.forget(context.run, path);
      else known.set(context.run, path, scanned.revision);
      if (mediaType !== undefined) return readMedia(path, mediaType, settings.maxMediaBytes, context);
      return view.result(scanned, settings.prefix);
    },
  });
}

function refuseBinary(path: string, bytes: Buffer, show: ShowPath): void {
  const why = whyNotText(bytes);
  if (why !== undefined) throw new Refusal(`${show(path)} ${why}, not text in UTF-8: it cannot be shown.`);
}

/** Returns the file itself, after a note for models that do not accept it. @throws `Refusal` if it is too large */
async function readMedia(
  path: string,
  mediaType: string,
  maxBytes: number,
  { files, show }: FileToolContext,
): Promise<ToolResult> {
  const size = (await files.stat(path))?.size ?? 0;
  if (size > maxBytes) {
    const limit = `${maxBytes} bytes (the option maxMediaBytes)`;
    throw new Refusal(`${show(path)} is ${mediaType} and has ${size} bytes; at most ${limit} can be shown.`);
  }
  const { bytes } = await files.read(path, { length: maxBytes });
  const name = path.slice(path.lastIndexOf('/') + 1);
  const data = Buffer.from(bytes).toString('base64');
  return {
    content: [
      textPart(`${show(path)} is ${mediaType}, ${bytes.length} bytes.`),
      { type: 'file', mediaType, data, name },
    ],
    data: { path, mediaType, bytes: bytes.length },
  };
}

interface Wanted extends ReadArgs {
  readonly limit: number;
}

/** Collects the lines of a file that are shown, and notes about the others. */
class LineView {
  readonly #wanted: Wanted;
  readonly #first: number;
  readonly #skip: number;
  readonly #maxCharacters: number;
  readonly #lineCharacters: number;
  readonly #shown: { readonly number: number; readonly text: string; readonly hasCr: boolean }[] = [];
  readonly #cut: number[] = [];
  #characters = 0;
  #last = 0;
  #notUtf8: number | undefined;
  #isEnded = true;

  constructor(wanted: Wanted, maxCharacters: number) {
    this.#wanted = wanted;
    this.#first = wanted.offset ?? 1;
    this.#skip = (wanted.column ?? 1) - 1;
    this.#maxCharacters = maxCharacters;
    this.#lineCharacters = wanted.limit === 1 ? maxCharacters : Math.min(maxLineCharacters, maxCharacters);
  }

  /**
   * The number of bytes of a line to keep. UTF-8 needs up to three for each JavaScript character; the bytes beyond show
   * that the line is cut.
   */
  get keepBytes(): number {
    return 3 * (this.#skip + this.#lineCharacters) + 8;
  }

  /** Shows a line if it is wanted. Returns false if there is no room for more. */
  take({ number, bytes, length, isEnded }: Line): boolean {
    if (number < this.#first) {
      this.#last = number;
      return true;
    }
    if (this.#shown.length >= this.#wanted.limit || this.#characters >= this.#maxCharacters) return false;
    const whole = (number === 1 ? withoutBom(bytes) : bytes).toString('utf8');
    const hasCr = isEnded && length === bytes.length && whole.endsWith('\r');
    const end = characterBorder(whole, this.#skip + this.#lineCharacters);
    const text = whole.slice(characterBorder(whole, this.#skip), end).toWellFormed();
    if (text.includes('\ufffd')) this.#notUtf8 ??= number;
    if (length > bytes.length || whole.length - Number(hasCr) > end) this.#cut.push(number);
    this.#shown.push({ number, text, hasCr });
    this.#characters += text.length + 1;
    this.#last = number;
    this.#isEnded = isEnded;
    return true;
  }

  result(
    { revision, hasChanged, isComplete }: Awaited<ReturnType<typeof scanLines>>,
    prefix: string,
  ): ToolResult {
    const { path } = this.#wanted;
    const isCrlf =
      this.#shown.length > 0 && this.#shown.every(({ hasCr }, at) => hasCr || at === this.#lastAt);
    const lines = this.#shown.map(
      ({ number, text, hasCr }) => `${number}\t${hasCr && isCrlf ? text.replace(/\r$/, '') : text}`,
    );
    const notes = [
      ...this.#rangeNotes(isComplete, prefix),
      ...this.#cutNotes(prefix),
      isCrlf && this.#shown.some(({ hasCr }) => hasCr) ? 'The lines end in CRLF.' : '',
      isComplete && !this.#isEnded && this.#shown.length > 0 ? 'No line feed at the end of the file.' : '',
      this.#notUtf8 === undefined
        ? ''
        : `Line ${this.#notUtf8} has characters that are not UTF-8, or stand for such: do not rewrite them.`,
      hasChanged ? 'The file was changed while it was read: read it again before you change it.' : '',
    ].filter((note) => note !== '');
    const text = [...lines, ...(notes.length === 0 ? [] : [`[${notes.join(' ')}]`])].join('\n');
    const range = this.#shown.length === 0 ? {} : { from: this.#first, to: this.#last };
    return { content: [textPart(text)], data: { path, revision, ...range, isComplete } };
  }

  get #lastAt(): number {
    return this.#isEnded ? -1 : this.#shown.length - 1;
  }

  #rangeNotes(isComplete: boolean, prefix: string): string[] {
    if (this.#shown.length === 0) {
      return [this.#last === 0 ? 'The file is empty.' : `The file has only ${this.#last} lines.`];
    }
    if (isComplete) return this.#first === 1 ? [] : ['These are the last lines of the file.'];
    const range = `Lines ${this.#first} to ${this.#last} are shown, and more follow.`;
    return [`${range} Call ${prefix}read_file with offset ${this.#last + 1} for the next ones.`];
  }

  #cutNotes(prefix: string): string[] {
    const [line] = this.#cut;
    if (line === undefined) return [];
    const which = this.#cut.length === 1 ? `Line ${line} is` : `${this.#cut.length} lines are`;
    const next = this.#skip + this.#lineCharacters + 1;
    const how = `Call ${prefix}read_file with offset ${line}, limit 1 and column ${next} for what follows in line ${line}.`;
    return [`${which} longer than shown. ${how}`];
  }
}

/** Returns a position in a text, or the one before it if it is between the halves of a surrogate pair. */
function characterBorder(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
