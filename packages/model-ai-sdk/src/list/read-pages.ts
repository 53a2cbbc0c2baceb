import type { JsonValue } from '@shallot/core';

import { isJsonObject } from '../sdk/metadata.ts';
import { readListedModel, type ListedModel } from './listed-model.ts';
import { entriesOf, type Listing } from './listing-of.ts';

/** The maximum size of a page in bytes. The longest list of November 2026 has two million. */
const maxPageBytes = 8 * 1024 * 1024;
const maxPages = 20;
const maxModels = 5000;

export interface PagesRead {
  readonly models: readonly ListedModel[];
  /** True if the provider has more models than these. */
  readonly isCut: boolean;
}

/** The request for a list. */
export interface PageRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Reads a list to its end, or to a limit. @throws an error with `statusCode` and `responseBody` for a refusal; an error for
 * an answer that is not a list or too long; errors of `fetch`
 */
export async function readPages(
  { query = {}, next }: Listing,
  { url, headers, signal, fetch }: PageRequest,
): Promise<PagesRead> {
  const models = new Map<string, ListedModel>();
  let more: Readonly<Record<string, string>> | undefined = {};
  for (let page = 0; more !== undefined && page < maxPages && models.size < maxModels; page += 1) {
    const address = new URL(url);
    for (const [name, value] of Object.entries({ ...query, ...more })) address.searchParams.set(name, value);
    // Redirects would carry the key to another address.
    const response = await fetch(address.href, {
      headers: { accept: 'application/json', ...headers },
      signal,
      redirect: 'manual',
    });
    const body = await readBody(response);
    if (!response.ok) throw refused(response, body);
    const parsed = parse(body);
    const entries = entriesOf(parsed);
    if (entries === undefined) throw new Error('The answer is not a list of models');
    for (const entry of entries) {
      const listed = readListedModel(entry);
      if (listed !== undefined && models.size < maxModels) models.set(listed.model, listed);
    }
    const following: Readonly<Record<string, string>> | undefined = isJsonObject(parsed)
      ? next?.(parsed)
      : undefined;
    // A page that leads to itself would never end.
    more = JSON.stringify(following) === JSON.stringify(more) ? undefined : following;
  }
  return { models: [...models.values()], isCut: more !== undefined || models.size >= maxModels };
}

function parse(body: string): JsonValue | undefined {
  try {
    // JSON.parse returns JSON.
    return JSON.parse(body) as JsonValue;
  } catch {
    // The caller reports that it is not a list.
    return undefined;
  }
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  if (body === undefined) return '';
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxPageBytes) throw new Error(`The list is longer than ${maxPageBytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refused({ status, headers, url }: Response, responseBody: string): Error {
  const isMoved = status >= 300 && status < 400;
  const message = isMoved ? 'The server redirects to another address' : `The server answered ${status}`;
  return Object.assign(new Error(message), {
    statusCode: status,
    responseBody,
    responseHeaders: Object.fromEntries(headers),
    url,
  });
}
