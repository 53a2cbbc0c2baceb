import type { Message } from '@shallot/core';
import { modelError, textOfFile, type FilePart, type ModelRequest } from '@shallot/core/model';

import type { LanguageModel } from '../sdk/language-model.ts';
import { isBlank } from './shape-rules.ts';
import { sizeLimitsOf, type FileLimit, type SizeLimits, type StatedLimit } from './size-limits.ts';

/** The parts of a request that take room. */
export type SizedRequest = Pick<ModelRequest, 'instructions' | 'messages' | 'tools'>;

/** Returns true if a file is sent as a file, as far as its type and its place decide. */
type IsSent = (file: FilePart, role: 'user' | 'assistant' | 'tool') => boolean;

/** A file that would be sent, and its place. */
interface PlacedFile {
  readonly file: FilePart;
  /** The turn, which is equal for all messages between the same two answers of the model. */
  readonly turn: number;
}

/** Keeps requests within the sizes that the vendor of a model accepts, by leaving out files, the oldest first. */
export class RequestRoom {
  readonly #limits: SizeLimits;
  readonly #modelId: string;
  /** The files without room in the latest request that had them. */
  readonly #leftOut = new WeakMap<FilePart, StatedLimit>();
  readonly #sizes = new WeakMap<object, number>();

  constructor(model: Pick<LanguageModel, 'provider' | 'modelId'>) {
    this.#limits = sizeLimitsOf(model);
    this.#modelId = model.modelId;
  }

  /** Returns the limit that a file is over, alone or in the latest request that had it; undefined if there is room. */
  limitOf(file: FilePart): StatedLimit | undefined {
    return this.#limits.files.find((limit) => isOver(file, limit)) ?? this.#leftOut.get(file);
  }

  /**
   * Decides which files of a request there is room for, and returns the messages for which that changed.
   * @throws `MODEL_CONTEXT_OVERFLOW` if the request is too large without its files
   */
  fit(sized: SizedRequest, isSent: IsSent): readonly Message[] {
    const { request } = this.#limits;
    const rest = request === undefined ? 0 : this.#sizeWithoutFiles(sized);
    if (request !== undefined && rest > request.most) throw tooLarge(this.#modelId, request, rest);
    const withFiles = sized.messages.filter(hasFiles);
    if (withFiles.length === 0) return [];
    const placed = this.#placed(sized.messages, isSent);
    const out = leftOutFiles(placed, this.#limits, rest);
    return withFiles.filter((message) =>
      filesOf(message).reduce((isChanged, file) => this.#note(file, out.get(file)) || isChanged, false),
    );
  }

  #note(file: FilePart, limit: StatedLimit | undefined): boolean {
    const isChanged = this.#leftOut.has(file) !== (limit !== undefined);
    if (limit === undefined) this.#leftOut.delete(file);
    else this.#leftOut.set(file, limit);
    return isChanged;
  }

  #placed(messages: readonly Message[], isSent: IsSent): readonly PlacedFile[] {
    const isTooLarge = (file: FilePart): boolean => this.#limits.files.some((limit) => isOver(file, limit));
    let turn = 0;
    return messages.flatMap((message) => {
      const { role } = message;
      if (role === 'system') return [];
      if (isAnswer(message)) turn += 1;
      return filesOf(message).flatMap((file) =>
        isSent(file, role) && !isTooLarge(file) ? [{ file, turn }] : [],
      );
    });
  }

  /** Returns an upper estimate: a provider's JSON for a part is about as long as ours. */
  #sizeWithoutFiles({ instructions, messages, tools = [] }: SizedRequest): number {
    let size = Buffer.byteLength(instructions);
    for (const tool of tools) size += this.#sizeOf(tool, tool.inputSchema) + tool.description.length * 3;
    for (const message of messages) size += this.#sizeOf(message, withoutData(message));
    return size * 1.05 + 64 * 1024;
  }

  #sizeOf(key: object, value: unknown): number {
    let size = this.#sizes.get(key);
    if (size === undefined) {
      size = Buffer.byteLength(JSON.stringify(value));
      this.#sizes.set(key, size);
    }
    return size;
  }
}

/** Returns the files that limits leave no room for, each with the limit; `rest` is the size of the request without files. */
function leftOutFiles(
  placed: readonly PlacedFile[],
  { files: limits, request }: SizeLimits,
  rest: number,
): ReadonlyMap<FilePart, StatedLimit> {
  const out = new Map<FilePart, StatedLimit>();
  const isIn = ({ file }: PlacedFile): boolean => !out.has(file);
  for (const limit of limits) {
    const counted = placed.filter((each) => limit.of.test(each.file.mediaType) && isIn(each));
    const weight = limit.unit === 'files' ? (): number => 1 : bytesOf;
    // A request grows, so its files are left out in steps; a message stays as it is.
    const step = limit.per === 'request' ? limit.most / 5 : 1;
    for (const group of groupsOf(counted, limit.per))
      for (const file of overLimit(group, { most: limit.most, step }, weight)) out.set(file, limit);
  }
  if (request !== undefined) {
    const room = { most: request.most - rest, step: request.most / 5 };
    for (const file of overLimit(placed.filter(isIn), room, ({ data = '' }) => data.length))
      out.set(file, request);
  }
  return out;
}

function groupsOf(placed: readonly PlacedFile[], per: FileLimit['per']): readonly (readonly PlacedFile[])[] {
  if (per === 'file') return [];
  return per === 'request' ? [placed] : [...Map.groupBy(placed, ({ turn }) => turn).values()];
}

/**
 * Returns the oldest files of a group that is over a limit. They are left out in steps, so that most requests begin like
 * those before them: a provider's cache relies on it.
 */
function overLimit(
  group: readonly PlacedFile[],
  { most, step }: { readonly most: number; readonly step: number },
  weight: (file: FilePart) => number,
): readonly FilePart[] {
  const total = group.reduce((sum, { file }) => sum + weight(file), 0);
  if (total <= most) return [];
  const excess = Math.ceil((total - most) / step) * step;
  let before = 0;
  return group.flatMap(({ file }) => {
    const isOut = before < excess && weight(file) > 0;
    before += weight(file);
    return isOut ? [file] : [];
  });
}

function tooLarge(modelId: string, { words, page }: StatedLimit, size: number): Error {
  return modelError('MODEL_CONTEXT_OVERFLOW', {
    message: `The request to ${modelId} has about ${Math.ceil(size / 1_000_000)} MB without its files. ${words} (${page}): shorten the history.`,
  });
}

function isOver(file: FilePart, { per, of, most }: FileLimit): boolean {
  return per === 'file' && of.test(file.mediaType) && bytesOf(file) > most;
}

/** Returns the size of a file in bytes; 0 if it is given by URL. */
function bytesOf({ data = '' }: FilePart): number {
  return Math.floor((data.length * 3) / 4);
}

function hasFiles(message: Message): boolean {
  return filesOf(message).length > 0;
}

function filesOf({ role, content }: Message): readonly FilePart[] {
  return role === 'system' ? [] : (content as readonly { type: string }[]).filter(isFile);
}

function isFile(part: { readonly type: string }): part is FilePart {
  return part.type === 'file';
}

/**
 * Returns true if a part of an answer is always sent. Such an answer separates the messages before it from those
 * after it.
 */
function isAnswer({ role, content }: Message): boolean {
  return (
    role === 'assistant' &&
    content.some((part) => part.type === 'tool-call' || (part.type === 'text' && !isBlank(part.text)))
  );
}

/** Returns the content without the data of files, except for files that are sent as text. */
function withoutData({ content }: Message): unknown {
  return content.map((part) =>
    part.type === 'file' && textOfFile(part) === undefined ? { ...part, data: '' } : part,
  );
}
