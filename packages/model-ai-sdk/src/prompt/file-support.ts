import type { Message } from '@shallot/core';
import { textOfFile, type FilePart } from '@shallot/core/model';

import { factsOf } from '../errors/error-facts.ts';
import type { LanguageModel } from '../sdk/language-model.ts';
import { providerName } from '../sdk/metadata.ts';
import { RequestRoom, type SizedRequest } from './request-room.ts';
import type { StatedLimit } from './size-limits.ts';

/** The files that a provider accepts, if its package does not report it. */
interface FileRules {
  /** Files in tool results: `inside` them, in a user message `after` them, or not at all. */
  readonly results: 'inside' | 'after' | 'never';
  /** The types accepted inside results. */
  readonly inside?: RegExp;
  /** True if URLs are accepted inside results. */
  readonly insideUrls?: boolean;
  /** The types accepted in user messages, if the package silently drops others. */
  readonly users?: RegExp;
  /** True if files that a model generated can be sent back. */
  readonly answers?: boolean;
}

const images = /^image\//i;
const pictured = /^(?:image\/|application\/pdf$)/i;
const inside = (types: RegExp, insideUrls = true): FileRules => ({
  results: 'inside',
  inside: types,
  insideUrls,
});

const gemini: FileRules = { ...inside(/^(?:image|audio|video)\/|^application\/pdf$/i, false), answers: true };

/** The rules by provider, or by provider and API. */
const rules: Readonly<Record<string, FileRules>> = {
  'openai.responses': inside(pictured),
  'azure.responses': inside(pictured),
  anthropic: inside(pictured),
  google: gemini,
  vertex: gemini,
  'xai.responses': inside(images),
  openrouter: inside(/^(?:image|audio)\/|^application\/pdf$/i),
  'amazon-bedrock': inside(/^(?:image|video)\/|^application\/(?:pdf|msword|vnd\.)/i, false),
  // Its server requires an assistant message after results, and its package writes their content as JSON.
  mistral: { results: 'never' },
};
/** The package of specification v3 writes the content of results as JSON. */
const deepseek = {
  v3: { results: 'after', users: images },
  v4: { ...inside(images), users: images },
} as const;
const others: FileRules = { results: 'after' };

function rulesFor({ provider, modelId, specificationVersion }: LanguageModel): FileRules {
  const [maker = ''] = modelId.split('/', 1);
  const name = providerName(provider) === 'gateway' ? gatewayed(maker) : provider;
  if (providerName(name) === 'deepseek') return deepseek[specificationVersion === 'v3' ? 'v3' : 'v4'];
  for (const key of [name, providerName(name)]) if (Object.hasOwn(rules, key)) return rules[key] ?? others;
  return others;
}

/** Returns the name of a provider's API behind the gateway, which uses the newer one. */
function gatewayed(maker: string): string {
  return `${maker === 'bedrock' ? 'amazon-bedrock' : maker}.responses`;
}

/** The place for a file of a result. */
export type ResultPlace = 'inside' | 'after' | 'text';

/** Knows the files that a model accepts, and learns from errors of its package and provider. */
export class FileSupport {
  readonly #rules: FileRules;
  readonly #room: RequestRoom;
  readonly #refused = new WeakSet<FilePart>();

  constructor(model: LanguageModel) {
    this.#rules = rulesFor(model);
    this.#room = new RequestRoom(model);
  }

  takes(file: FilePart, role: 'user' | 'assistant' | 'tool'): boolean {
    return this.limitOf(file) === undefined && this.#knows(file, role);
  }

  placeOf(file: FilePart): ResultPlace {
    return this.limitOf(file) === undefined ? this.#kindOfPlace(file) : 'text';
  }

  /** Returns the vendor's limit of size or number for which a file is not sent; undefined if there is room for it. */
  limitOf(file: FilePart): StatedLimit | undefined {
    return this.#room.limitOf(file);
  }

  /**
   * Decides which files of a request the vendor's limits leave room for, and returns the messages for which that changed.
   * @throws `MODEL_CONTEXT_OVERFLOW` if the request is too large without its files
   */
  fit(request: SizedRequest): readonly Message[] {
    return this.#room.fit(request, (file, role) => this.#knows(file, role));
  }

  /** Returns true if a file is accepted in a message of this role, as far as its type and earlier refusals show. */
  #knows(file: FilePart, role: 'user' | 'assistant' | 'tool'): boolean {
    if (this.#isRefused(file)) return false;
    if (role === 'tool') return this.#kindOfPlace(file) !== 'text';
    if (role === 'assistant') return this.#rules.answers === true;
    return this.#rules.users?.test(file.mediaType) ?? true;
  }

  #kindOfPlace(file: FilePart): ResultPlace {
    const { results, inside: types, insideUrls = true, users } = this.#rules;
    if (results === 'never' || this.#isRefused(file)) return 'text';
    if (results === 'after') return users?.test(file.mediaType) === false ? 'text' : 'after';
    return types?.test(file.mediaType) === true && (insideUrls || file.url === undefined) ? 'inside' : 'text';
  }

  #isRefused(file: FilePart): boolean {
    return this.#refused.has(file) || !canBeSent(file);
  }

  /**
   * Learns from an error that files were rejected: those of the types it names, else all. They are left out from then on,
   * so that the request can be repeated. Returns false for other errors, and if there is nothing to leave out.
   */
  learn(error: unknown, messages: readonly Message[]): boolean {
    const { kinds, status = 0, message } = factsOf(error);
    const isLocal = kinds.includes('AI_UnsupportedFunctionalityError');
    const isRefusal = isLocal || status === 400 || status === 415 || status === 422;
    if (!isRefusal || !speaksOfFiles.test(message)) return false;
    const sent = messages.flatMap(({ role, content }) =>
      role === 'system' ? [] : content.filter((part) => part.type === 'file' && this.takes(part, role)),
    ) as FilePart[];
    const named = sent.filter((file) => isNamed(file, message));
    for (const file of named.length > 0 ? named : sent) this.#refused.add(file);
    return sent.length > 0;
  }
}

/** Returns false for text files, which are sent as text, and for relative URLs, which a provider cannot fetch. */
function canBeSent(file: FilePart): boolean {
  return file.url === undefined ? textOfFile(file) === undefined : URL.canParse(file.url);
}

const speaksOfFiles =
  /image|picture|vision|audio|video|modal|media|mime|\bfiles?\b|\bpdf\b|document|content part|attachment/i;

function isNamed({ mediaType, url }: FilePart, message: string): boolean {
  const text = message.toLowerCase();
  if (/urls?\b/.test(text) && url === undefined && text.includes('with url')) return false;
  const [kind = ''] = mediaType.toLowerCase().split('/', 1);
  if (/non-image|only images/.test(text)) return kind !== 'image';
  return text.includes(mediaType.toLowerCase()) || (kind !== 'application' && text.includes(kind));
}
