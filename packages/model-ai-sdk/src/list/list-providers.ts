import { isShallotError } from '@shallot/core';
import type { ProviderModelEntry } from '@shallot/core/model';

import { findKey } from '../resolve/provider-key.ts';
import { providers, type Provider } from '../sdk/providers.ts';
import { listingOf } from './listing-of.ts';

/** A provider with a built-in name. */
export interface ListedProvider {
  readonly provider: string;
  /** The package to install. */
  readonly package: string;
  /** The state of the key; `none` if no key is needed. */
  readonly key: 'found' | 'missing' | 'none';
  /** The reason why it cannot be used yet, with the variable to set. */
  readonly missing?: string;
  /** True if it can be asked for its models. */
  readonly hasList: boolean;
}

/**
 * Lists the providers with a built-in name, and what each needs from the environment. `configured` is the model of a
 * config, whose settings count for its provider.
 */
export function listProviders(
  env: Readonly<Record<string, string | undefined>> = process.env,
  configured?: ProviderModelEntry,
): readonly ListedProvider[] {
  return Object.entries(providers).map(([name, provider]) => {
    const entry = configured?.provider === name ? configured : { provider: name, model: 'MODEL' };
    return listed(entry, provider, env);
  });
}

function listed(
  entry: ProviderModelEntry,
  provider: Provider,
  env: Readonly<Record<string, string | undefined>>,
): ListedProvider {
  const { provider: name } = entry;
  const missing = provider.keys.length === 0 ? undefined : missingOf(entry, provider, env);
  const key = missing === undefined ? 'found' : 'missing';
  return {
    provider: name,
    package: provider.package,
    key: provider.keys.length === 0 ? 'none' : key,
    ...(missing === undefined ? {} : { missing }),
    hasList: listingOf(name) !== undefined,
  };
}

function missingOf(
  entry: ProviderModelEntry,
  provider: Provider,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  try {
    // Some providers sign in without a key, which cannot be detected here.
    findKey(entry, { ...provider, keyIsOptional: false }, env, () => ({}));
    return undefined;
  } catch (error) {
    if (isShallotError(error)) return error.message;
    throw error;
  }
}
