import type { JsonValue } from '../../base/json.ts';
import { nodeCrypto } from '../../base/node-crypto.ts';
import { messageOf } from '../../base/thrown.ts';
import type { TokenCounts } from '../../contract/count-tokens.ts';
import { textPart, type FilePart, type TextPart } from '../../contract/messages.ts';
import { checkResult } from '../../contract/tool-result.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';
import { safeName } from '../../files/safe-name.ts';
import { pathIn, resultPlace } from '../../files/session-place.ts';
import { resultPath } from '../../files/with-results.ts';
import type { Frame } from '../../hooks/frame.ts';
import { clipText } from '../../tokens/clip-text.ts';
import { isCut } from '../../tokens/cut-result.ts';
import { withKeptFiles } from '../../tokens/kept-files.ts';
import { isLasting } from '../../tokens/lasting.ts';
import type { AgentParts } from '../agent-parts.ts';
import { noteFile, whileHeld } from '../held-files.ts';
import type { RunParts } from '../run-parts.ts';
import { readResultName } from './read-result.ts';

/** The maximum number of bytes that are kept of a text or a file. */
const maxKeptBytes = 8 * 1024 * 1024;

/**
 * The maximum number of files, such as images, in a result, and their maximum size together. Further files are kept as
 * files of the session.
 */
const filesShown = { count: 10, bytes: 4 * 1024 * 1024 };

/** The share of the limit that the head and the tail of a large result take together. */
const previewShare = 1 / 4;

/** The range of tokens per JavaScript character: no tokenizer makes more than three of one, or fewer than one of twelve. */
const tokensPerCharacter = { most: 3, fewest: 1 / 12 };

/** The separator between the texts of a result. */
const separator = '\n\n';

/** The execution that a result belongs to. `pass`, its ordinal within the call, is part of file names. */
export interface Executed {
  readonly call: ToolCall;
  readonly pass: number;
  readonly frame: Frame;
  /** The tool that the call names, if the request offered it. */
  readonly tool: Tool | undefined;
}

/** Returns the maximum size of a result, in tokens, that the model gets whole, unless a tool sets its own. */
export function maxResultTokens(parts: Pick<AgentParts, 'maxResultTokens' | 'model'>): number {
  const byContext = (parts.model.limits?.contextTokens ?? Infinity) / 20;
  return parts.maxResultTokens ?? Math.min(10_000, Math.floor(byContext));
}

/**
 * Returns a result in the form for the journal, the layers and the model. Parts that are too large become files of the
 * session, written before anything names them; the result then has head, tail, size and path. Returns a promise only in
 * that case.
 */
export function resultByReference(
  run: RunParts,
  executed: Executed,
  result: ToolResult,
): ToolResult | Promise<ToolResult> {
  const { tool, frame } = executed;
  const { parts } = run.terms;
  const { tokens } = parts;
  const limit = tool?.maxResultTokens ?? (tool?.returnDirectly === true ? Infinity : maxResultTokens(parts));
  if (limit === Infinity || isShort(result, limit) || isLasting(result)) return result;
  const texts = result.content.filter(({ type }) => type === 'text') as TextPart[];
  const text = texts.map((part) => part.text).join(separator);
  const { shown, others } = divideFiles(result.content);
  const isLong = isMoreThan(text, limit, tokens);
  if (!isLong && others.length === 0) return result;
  const keeper = new Keeper(run, executed);
  const isKept = (data: JsonValue): boolean =>
    !isLong || !isMoreThan(JSON.stringify(data), limit * previewShare, tokens);
  return frame.wait(
    (async () => {
      const said = isLong ? await keeper.shorten(text, result, limit * previewShare) : text;
      const notes = [];
      for (const file of others) notes.push(await keeper.replaceFile(file));
      const { data: _, ...rest } = result;
      const all = [said, ...notes].filter((each) => each !== '').join(separator);
      return checkResult(
        {
          ...(keeper.paths.length === 0 ? rest : withKeptFiles(rest, keeper.paths)),
          ...(result.data === undefined || !isKept(result.data) ? {} : { data: result.data }),
          content: [textPart(all), ...shown],
        },
        executed.call.name,
      );
    })(),
  );
}

/** Returns true if a result is short without counting tokens: it has no files, and its texts are short enough by length. */
function isShort({ content }: ToolResult, limit: number): boolean {
  let length = 0;
  for (const part of content) {
    if (part.type !== 'text') return false;
    length += part.text.length + separator.length;
  }
  return length * tokensPerCharacter.most <= limit;
}

function isMoreThan(text: string, limit: number, tokens: TokenCounts): boolean {
  if (text.length * tokensPerCharacter.most <= limit) return false;
  return text.length * tokensPerCharacter.fewest > limit || tokens.text(text) > limit;
}

/** Divides the files of a result into those that it keeps, from the first on, and those that are too many or too large. */
function divideFiles(content: ToolResult['content']): {
  readonly shown: readonly FilePart[];
  readonly others: readonly FilePart[];
} {
  const shown: FilePart[] = [];
  const others: FilePart[] = [];
  let bytes = 0;
  for (const part of content) {
    if (part.type !== 'file') continue;
    const size = bytesOf(part);
    if (shown.length < filesShown.count && bytes + size <= filesShown.bytes) {
      shown.push(part);
      bytes += size;
    } else others.push(part);
  }
  return { shown, others };
}

function bytesOf({ data = '' }: FilePart): number {
  return Math.ceil(data.length * 0.75);
}

/** Writes the parts of a result that are too large, and describes where they are. */
class Keeper {
  readonly #run: RunParts;
  readonly #executed: Executed;
  /** The paths of the files that were written. */
  readonly paths: string[] = [];

  constructor(run: RunParts, executed: Executed) {
    this.#run = run;
    this.#executed = executed;
  }

  /** Returns the head and the tail of a text, with a note between them that names the file with the whole text. */
  async shorten(text: string, result: ToolResult, maxTokens: number): Promise<string> {
    const { written, extension } = documentOf(text, result.data);
    const size = Buffer.byteLength(written);
    const room = Buffer.alloc(Math.min(size, maxKeptBytes));
    // `write` leaves out a character that does not fit: with a part of one, the file would not be text.
    const bytes = room.subarray(0, room.write(written));
    const where = await this.#keep(bytes, extension);
    const cut = isCut(result) ? ` of which ${this.#executed.call.name} had left a part out` : '';
    const all = cut === '' ? 'All of it is' : 'It is, without that part,';
    const part = bytes.length < size ? `The first ${bytes.length} bytes of it are` : all;
    const what = `This is the beginning and the end of a result of ${text.length} characters${cut}.`;
    const note =
      'path' in where
        ? `[${what} ${part} in the file ${where.path}: read it with ${this.#reader}.]`
        : `[${what} The rest is lost, because it could not be kept: ${where.why}]`;
    return preview(text, maxTokens, `\n\n${note}\n\n`, this.#run.terms.parts.tokens);
  }

  /** Returns the text that replaces a file that the result does not keep. */
  async replaceFile(file: FilePart): Promise<string> {
    const { mediaType, data, url, name } = file;
    const which = `A file${name === undefined ? '' : ` named ${JSON.stringify(name)}`} (${mediaType}, ${bytesOf(file)} bytes)`;
    if (data === undefined) return `[${which} is left out, at ${url ?? 'no address'}.]`;
    const where =
      bytesOf(file) > maxKeptBytes
        ? { why: `at most ${maxKeptBytes} bytes are kept of a file.` }
        : await this.#keep(Buffer.from(data, 'base64'), extensionOf(mediaType));
    return 'path' in where
      ? `[${which} is left out here. It is at ${where.path}: read it with ${this.#reader}.]`
      : `[${which} is left out, and is lost, because it could not be kept: ${where.why}]`;
  }

  get #reader(): string {
    const { list } = this.#run.terms.parts.tools;
    return list.find(({ readsFiles }) => readsFiles === true)?.name ?? readResultName;
  }

  /**
   * Writes a file of the session. Before that, its folder is noted in the session, so that it is deleted with the
   * session.
   */
  async #keep(bytes: Buffer, extension: string): Promise<{ path: string } | { why: string }> {
    const { call, pass, frame } = this.#executed;
    const { record, terms, plugins, signs } = this.#run;
    const sessionId = record.session.id;
    const digest = nodeCrypto().createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const { kept, shown } = resultPath(sessionId, `${safeName(call.id)}.${pass}.${digest}.${extension}`);
    try {
      const files = terms.parts.files(plugins.ownView);
      await noteFile(this.#run, pathIn(resultPlace, sessionId), 'core', frame);
      await whileHeld(this.#run, () => files.write(kept, bytes, { own: true }));
      this.paths.push(shown);
      return { path: shown };
    } catch (error) {
      if (frame.closed || this.#run.life.stopped !== undefined) throw error;
      const why = messageOf(error);
      signs.warn(
        'RESULT_NOT_KEPT',
        `A large result of ${call.name} was cut, because it could not be kept: ${why}`,
      );
      return { why };
    }
  }
}

/** Returns a result in the form of its file. JSON is split into lines, so that it can be read in parts. */
function documentOf(
  text: string,
  data: ToolResult['data'],
): { readonly written: string; readonly extension: 'txt' | 'json' } {
  return data !== undefined && JSON.stringify(data) === text
    ? { written: JSON.stringify(data, undefined, 1), extension: 'json' }
    : { written: text, extension: 'txt' };
}

function preview(text: string, maxTokens: number, note: string, tokens: TokenCounts): string {
  // Shortens until the preview fits: heads and tails may have more tokens per character than the middle.
  for (let room = Math.floor(maxTokens * 4); ; room = Math.floor(room * 0.8)) {
    const shown = clipText(text, room + note.length, note, 2 / 3);
    if (room < 40 || tokens.text(shown) - tokens.text(note) <= maxTokens) return shown;
  }
}

/** Returns the end of the file name for a media type: `png` for `image/png`. */
function extensionOf(mediaType: string): string {
  const subtype = /^[^/]+\/([a-z0-9]{1,10})(?:;|$)/i.exec(mediaType)?.[1];
  return subtype?.toLowerCase() ?? 'bin';
}
