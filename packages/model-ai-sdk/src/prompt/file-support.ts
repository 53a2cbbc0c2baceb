import type { Message } from '@shallot/core';
import { textOfFile, type FilePart } from '@shallot/core/model';

import { factsOf } from '../errors/error-facts.ts';
import type { LanguageModel } from '../sdk/language-model.ts';
import { providerName } from '../sdk/metadata.ts';

/** What files a provider takes, as far as its package does not say so by itself. */
interface FileRules {
  /** Files in results of tools: `inside` them, in a user message `after` them, or not at all. */
  readonly results: 'inside' | 'after' | 'never';
  /** The types inside of results. */
  readonly inside?: RegExp;
  /** Whether those may be given by their URL. */
  readonly insideUrls?: boolean;
  /** The types in messages of users, where the package leaves others out without an error. */
  readonly users?: RegExp;
  /** Whether it is shown files that a model made. */
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

/** By the provider, or by the provider and its interface. */
const rules: Readonly<Record<string, FileRules>> = {
  'openai.responses': inside(pictured),
  'azure.responses': inside(pictured),
  anthropic: inside(pictured),
  google: gemini,
  vertex: gemini,
  'xai.responses': inside(images),
  openrouter: inside(/^(?:image|audio)\/|^application\/pdf$/i),
  'amazon-bedrock': inside(/^(?:image|video)\/|^application\/(?:pdf|msword|vnd\.)/i, false),
  // Its server wants an answer after the results, and its package writes their content as JSON.
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

/** Behind the gateway, the newer interface of a provider is used. */
function gatewayed(maker: string): string {
  return `${maker === 'bedrock' ? 'amazon-bedrock' : maker}.responses`;
}

/** Where a file of a result goes. */
export type ResultPlace = 'inside' | 'after' | 'text';

/** Knows which files a model takes, and learns from what its package and its provider refuse. */
export class FileSupport {
  readonly #rules: FileRules;
  readonly #refused = new WeakSet<FilePart>();

  constructor(model: LanguageModel) {
    this.#rules = rulesFor(model);
  }

  takes(file: FilePart, role: 'user' | 'assistant' | 'tool'): boolean {
    if (this.#refused.has(file) || !canBeSent(file)) return false;
    if (role === 'tool') return this.placeOf(file) !== 'text';
    if (role === 'assistant') return this.#rules.answers === true;
    return this.#rules.users?.test(file.mediaType) ?? true;
  }

  placeOf(file: FilePart): ResultPlace {
    const { results, inside: types, insideUrls = true, users } = this.#rules;
    if (this.#refused.has(file) || results === 'never' || !canBeSent(file)) return 'text';
    if (results === 'after') return users?.test(file.mediaType) === false ? 'text' : 'after';
    return types?.test(file.mediaType) === true && (insideUrls || file.url === undefined) ? 'inside' : 'text';
  }

  /**
   * Whether an error says that files were refused: those that it names by their type, else all. They are not sent again, so
   * that the request can be made once more, without them. False when there is nothing to leave out.
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

/** Text is sent as text; a URL that is none of its own leads nowhere from a provider. */
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
