import { isShallotError, ShallotError } from '@shallot/core';
import type { ProviderModelEntry } from '@shallot/core/model';
import { nearest } from '@shallot/core/plugin';

import { providerError } from '../errors/provider-error.ts';
import { findKey, secretsIn, type ProviderKey } from '../resolve/provider-key.ts';
import { providers } from '../sdk/providers.ts';
import { knownModels } from './known-models.ts';
import type { ListedModel } from './listed-model.ts';
import { listingOf, type Listing } from './listing-of.ts';
import { readPages, type PagesRead } from './read-pages.ts';

/** The project that needs a list, and the limits of the request for it. */
export interface ListOptions {
  /** The directory of the project, whose `node_modules` may have the data of prices. */
  readonly from: string;
  /** The environment. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The provider's settings, as in a config: `baseURL`, `apiKey`, `headers`. */
  readonly entry?: Omit<ProviderModelEntry, 'provider' | 'model'>;
  readonly signal?: AbortSignal;
  /** The time for the whole list. Default: 10 seconds. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** The models of a provider, and the source of the list. */
export interface ListedModels {
  readonly provider: string;
  /** `provider` if it was asked itself, `tables` if the models are those of `@pydantic/genai-prices`. */
  readonly source: 'provider' | 'tables';
  readonly models: readonly ListedModel[];
  /** True if the provider has more models than these. */
  readonly isCut: boolean;
  /** The reason why the provider's own list is not used, such as the provider's error. */
  readonly reason?: string;
}

/**
 * Lists the models of a provider: its own list, if it can be asked, else that of `@pydantic/genai-prices`, if that is
 * installed. Sizes and prices that the provider does not report are added from that package. @throws `CONFIG_INVALID`
 * for an unknown provider; the reason of the signal
 */
export async function listModels(provider: string, options: ListOptions): Promise<ListedModels> {
  const listing = listingFor(provider);
  const known = await knownModels(provider, options.from);
  const asked = await ask(provider, listing, options).catch((error: unknown) => {
    options.signal?.throwIfAborted();
    if (isShallotError(error)) return error.message;
    throw error;
  });
  if (typeof asked === 'string')
    return { provider, source: 'tables', models: known ?? [], isCut: false, reason: asked };
  const byName = new Map((known ?? []).map((each) => [each.model, each]));
  const models = asked.models.map((each) => {
    const other = byName.get(each.model);
    return other === undefined ? each : Object.assign({}, other, each);
  });
  return { provider, source: 'provider', models, isCut: asked.isCut };
}

function listingFor(provider: string): Listing | undefined {
  if (Object.hasOwn(providers, provider)) return listingOf(provider);
  const names = Object.keys(providers);
  const like = nearest(provider, names);
  throw new ShallotError('CONFIG_INVALID', {
    message: `There is no provider "${provider}". ${like === undefined ? `Known: ${names.join(', ')}.` : `Did you mean "${like}"?`}`,
  });
}

async function ask(
  provider: string,
  listing: Listing | undefined,
  { env = process.env, entry = {}, signal, timeoutMs = 10_000, fetch = globalThis.fetch }: ListOptions,
): Promise<PagesRead | string> {
  const known = providers[provider];
  const baseURL = entry.baseURL ?? env[listing?.variable ?? ''] ?? listing?.baseURL;
  if (listing === undefined || known === undefined)
    return `${provider} has no list of models that can be asked for with a key.`;
  if (baseURL === undefined) return `${provider} needs a baseURL in the model of the config.`;
  const named = { ...entry, provider, model: '*' };
  const key = findKey(named, known, env, () => ({}));
  const time = AbortSignal.timeout(timeoutMs);
  const request = {
    url: new URL(`${baseURL.replace(/\/+$/, '')}${listing.path ?? '/models'}`).href,
    headers: { ...signed(listing, key), ...entry.headers },
    signal: signal === undefined ? time : AbortSignal.any([signal, time]),
    fetch,
  };
  try {
    const read = await readPages(listing, request);
    return read.models.length === 0 ? `${provider} answered with a list without models.` : read;
  } catch (error) {
    if (time.aborted) return `${provider} did not list its models within ${timeoutMs / 1000} seconds.`;
    const secrets = [...key.secrets, ...Object.values(entry.headers ?? {}), ...secretsIn(entry.options)];
    throw providerError(error, { id: `${provider}/*`, secrets, keySetting: key.setting }, false);
  }
}

function signed({ sign }: Listing, { value, authorization }: ProviderKey): Readonly<Record<string, string>> {
  if (value === undefined) return authorization === undefined ? {} : { authorization };
  return sign?.(value) ?? { authorization: `Bearer ${value}` };
}
