import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../sdk/metadata.ts';

/** The address of a provider's own list of models, and how to read it. */
export interface Listing {
  /** The address that its package has by default. */
  readonly baseURL?: string;
  /** The variable that its package reads an address from. */
  readonly variable?: string;
  /** The path after the address. Default: `/models`. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Returns the headers that contain the key. Default: `Authorization: Bearer KEY`. */
  readonly sign?: (key: string) => Readonly<Record<string, string>>;
  /** The parameters of the next page; undefined after the last one. */
  readonly next?: (page: JsonObject) => Readonly<Record<string, string>> | undefined;
}

const anthropic: Listing = {
  baseURL: 'https://api.anthropic.com/v1',
  variable: 'ANTHROPIC_BASE_URL',
  query: { limit: '1000' },
  sign: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  next: (page) => (page['has_more'] === true ? parameter('after_id', page['last_id']) : undefined),
};

const google: Listing = {
  baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  query: { pageSize: '1000' },
  sign: (key) => ({ 'x-goog-api-key': key }),
  next: (page) => parameter('pageToken', page['nextPageToken']),
};

const cohere: Listing = {
  baseURL: 'https://api.cohere.com/v2',
  // Version 2 of the API has no list.
  path: '/../v1/models',
  query: { page_size: '1000', endpoint: 'chat' },
  next: (page) => parameter('page_token', page['next_page_token']),
};

/** Providers whose list needs only the key. Azure, Bedrock and Vertex list deployments, with other credentials. */
const listings: Readonly<Record<string, Listing>> = {
  anthropic,
  google,
  cohere,
  openai: { baseURL: 'https://api.openai.com/v1', variable: 'OPENAI_BASE_URL' },
  mistral: { baseURL: 'https://api.mistral.ai/v1' },
  xai: { baseURL: 'https://api.x.ai/v1' },
  gateway: { baseURL: 'https://ai-gateway.vercel.sh/v4/ai', path: '/../../v1/models' },
  openrouter: { baseURL: 'https://openrouter.ai/api/v1' },
  groq: { baseURL: 'https://api.groq.com/openai/v1' },
  deepseek: { baseURL: 'https://api.deepseek.com' },
  togetherai: { baseURL: 'https://api.together.xyz/v1' },
  fireworks: { baseURL: 'https://api.fireworks.ai/inference/v1' },
  cerebras: { baseURL: 'https://api.cerebras.ai/v1' },
  deepinfra: { baseURL: 'https://api.deepinfra.com/v1', path: '/openai/models' },
  moonshotai: { baseURL: 'https://api.moonshot.ai/v1' },
  huggingface: { baseURL: 'https://router.huggingface.co/v1' },
  ollama: { baseURL: 'http://127.0.0.1:11434/v1' },
  'openai-compatible': {},
  'open-responses': {},
};

export function listingOf(provider: string): Listing | undefined {
  return Object.hasOwn(listings, provider) ? listings[provider] : undefined;
}

function parameter(name: string, value: unknown): Readonly<Record<string, string>> | undefined {
  return typeof value === 'string' && value !== '' ? { [name]: value } : undefined;
}

/** Returns the entries of a page: under `data` or `models`, or the page itself; undefined if there is no list. */
export function entriesOf(page: JsonValue | undefined): readonly JsonValue[] | undefined {
  if (isList(page)) return page;
  if (!isJsonObject(page)) return undefined;
  return [page['data'], page['models']].find(isList);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
