import { ShallotError } from '@shallot/core';
import { modelError, type ProviderModelEntry } from '@shallot/core/model';
import type { SourceLocation } from '@shallot/core/plugin';

import type { Provider } from '../sdk/providers.ts';
import type { At } from './at.ts';
import { fitsHeader } from './header-text.ts';
import { authorizationIn, keyPlaceholder } from './sign-by-header.ts';

/** The key of a provider: the value to pass to its package, and the secrets to remove from messages. */
export interface ProviderKey {
  readonly value: string | undefined;
  readonly secrets: readonly string[];
  /** The source of the key, for messages. */
  readonly setting: string | undefined;
  /** The `Authorization` header, if it replaces the key. */
  readonly authorization?: string;
}

/** Finds the key before any request. @throws `MODEL_AUTH` without one, `CONFIG_INVALID` for missing settings */
export function findKey(
  entry: ProviderModelEntry,
  provider: Provider,
  env: Readonly<Record<string, string | undefined>>,
  at: At,
): ProviderKey {
  refuseMissing(entry, provider, env, at);
  if (entry.apiKey !== undefined) {
    if (entry.apiKey.trim() === '') throw noKey(entry, 'Its apiKey is empty', provider, at('apiKey'));
    if (!fitsHeader(entry.apiKey)) throw unsendable(entry, 'apiKey', at('apiKey'));
    return { value: entry.apiKey, secrets: [entry.apiKey], setting: 'the apiKey of the model' };
  }
  const credential = credentialIn(entry, provider);
  // The package reads the credential from the options; a key in addition would conflict with it.
  if (credential !== undefined) {
    return { value: undefined, secrets: [], setting: `"${credential}" under the options of the model` };
  }
  for (const names of provider.keys) {
    const variables = names.split('+');
    const values = variables.map((name) => env[name] ?? '');
    if (values.some((value) => value.trim() === '')) continue;
    const damaged = variables[values.findIndex((value) => !fitsHeader(value))];
    if (damaged !== undefined) throw unsendable(entry, damaged, at());
    // Packages read combined credentials from the environment themselves.
    return {
      value: values.length === 1 ? values[0] : undefined,
      secrets: values,
      setting: variables.join(' and '),
    };
  }
  const authorization = authorizationIn(entry);
  if (authorization !== undefined) {
    return {
      // No placeholder for providers whose requests depend on having a key, or that use none.
      value: provider.keys.length === 0 || provider.keyReplacesNeeds === true ? undefined : keyPlaceholder,
      secrets: [authorization],
      setting: 'the Authorization header of the model',
      authorization,
    };
  }
  if (provider.keyIsOptional === true) return { value: undefined, secrets: [], setting: undefined };
  const empty = provider.keys.flatMap((names) => names.split('+')).find((name) => env[name]?.trim() === '');
  throw noKey(entry, empty === undefined ? 'No key is set' : `${empty} is empty`, provider, at());
}

/** Returns the name of an option with credentials, for messages; undefined if there is none. */
function credentialIn(
  { options = {} }: ProviderModelEntry,
  { credentials = [] }: Provider,
): string | undefined {
  return ['apiKey', ...credentials].find((name) => {
    const value: unknown = options[name];
    return value !== undefined && value !== null && value !== '';
  });
}

/** Returns the secrets in options: values of keys named like a key, token, secret or password, and all headers. */
export function secretsIn(options: unknown): string[] {
  if (typeof options !== 'object' || options === null) return [];
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'object') return name === 'headers' ? allStrings(value) : secretsIn(value);
    return typeof value === 'string' && /key|token|secret|password/i.test(name) ? [value] : [];
  });
}

function allStrings(headers: object | null): string[] {
  return Object.values(headers ?? {}).filter((value): value is string => typeof value === 'string');
}

function refuseMissing(
  entry: ProviderModelEntry,
  provider: Provider,
  env: Readonly<Record<string, string | undefined>>,
  at: At,
): void {
  const { provider: name, baseURL, options, apiKey } = entry;
  const { needs = {}, keys, keyReplacesNeeds = false } = provider;
  if (baseURL !== undefined) return;
  const hasKey = (apiKey ?? options?.['apiKey']) !== undefined || keys.some((key) => (env[key] ?? '') !== '');
  if (keyReplacesNeeds && hasKey) return;
  for (const [option, variable] of Object.entries(needs)) {
    if ((env[variable] ?? '') !== '' || options?.[option] !== undefined) continue;
    throw new ShallotError('CONFIG_INVALID', {
      message: `The provider "${name}" needs a ${option}. Set the environment variable ${variable}, or "${option}" under "options" of the model.`,
      ...at(),
    });
  }
}

function noKey(
  { provider, model }: ProviderModelEntry,
  why: string,
  { keys }: Provider,
  at: { readonly at?: SourceLocation },
): ShallotError {
  const variables = keys.map((names) => names.split('+').join(' and ')).join(', or ');
  const advice =
    variables === ''
      ? 'Set the environment variable that it names, or remove apiKey.'
      : `Set the environment variable ${variables}, or write apiKey: { $env: NAME } in the entry of the model.`;
  const { code, message, transient } = modelError('MODEL_AUTH', {
    message: `The model "${provider}/${model}" needs a key. ${why}. ${advice}`,
  });
  return new ShallotError(code, { message, transient, ...at });
}

/** Returns the error for a key with characters that HTTP headers cannot contain, such as from a bad copy. */
function unsendable(
  { provider, model }: ProviderModelEntry,
  setting: string,
  at: { readonly at?: SourceLocation },
): ShallotError {
  const { code, message, transient } = modelError('MODEL_AUTH', {
    message: `The key of the model "${provider}/${model}" cannot be sent: ${setting} contains a line break, or a character that is not allowed in keys. Copy the key again.`,
  });
  return new ShallotError(code, { message, transient, ...at });
}
