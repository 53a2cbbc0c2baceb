import { isShallotError, ShallotError } from '@shallot/core';
import type { ChatModel, ProviderModelEntry } from '@shallot/core/model';
import { nearest, type SourceLocation } from '@shallot/core/plugin';

import { aiSdkModel } from './ai-sdk-model.ts';
import { boundedFetch } from './http/bounded-fetch.ts';
import type { At } from './resolve/at.ts';
import { endpointOf } from './resolve/endpoint.ts';
import { refuseHeaders } from './resolve/header-text.ts';
import { lookUpContextTokens } from './resolve/look-up-context.ts';
import { findKey, secretsIn, type ProviderKey } from './resolve/provider-key.ts';
import { refuseUserInURL, signByHeader } from './resolve/sign-by-header.ts';
import type { AiSdkLanguageModel } from './sdk/ai-sdk-language-model.ts';
import { contextTokensOf } from './sdk/context-tokens.ts';
import { providers, type Provider } from './sdk/providers.ts';

/** Options of `resolveModel`. */
export interface ResolveModelOptions {
  /** The directory whose `node_modules` contains the provider's package. */
  readonly from: string;
  /** Returns the location of the model, or of a key of its entry, for error messages. */
  readonly locate?: ((path?: readonly string[]) => SourceLocation) | undefined;
  /** Environment variables. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Resolves the model of a config: a string such as `anthropic/claude-sonnet-5`, or an entry. Imports the provider's
 * package from the directory, and finds the API key before any request. @throws `CONFIG_INVALID` for an unknown
 * provider or a missing setting, `MODEL_AUTH` without a key, `MODULE_NOT_FOUND` with the command that installs the
 * package, `MODULE_INVALID`, `MODULE_FAILED`, `OPTION_INVALID`
 */
export async function resolveModel(
  named: string | ProviderModelEntry,
  { from, locate, env = process.env }: ResolveModelOptions,
): Promise<ChatModel> {
  const entry = typeof named === 'string' ? entryOf(named) : named;
  const at: At = (...path) => {
    if (locate === undefined) return {};
    // Values that are not in the config get the location of the model entry.
    return { at: locate(typeof named !== 'string' && path.every((key) => key in named) ? path : []) };
  };
  const { importPackage } = await import('@shallot/core/config');
  const imports = (name: string, isKnown: boolean): Promise<Readonly<Record<string, unknown>>> =>
    importPackage(name, { directory: from, ...at('package'), isKnown });
  const conventional = conventionalProvider(entry);
  const untried = conventional && (await imports(conventional.package, true).catch(unlessMissing));
  refuseUserInURL(entry, at);
  const provider = conventional !== undefined && untried !== undefined ? conventional : providerOf(entry, at);
  refuseHeaders(entry.headers, at);
  const importing =
    untried === undefined ? imports(provider.package, entry.package === undefined) : Promise.resolve(untried);
  const [module, key] = await bothOf(importing, () => findKey(entry, provider, env, at));
  const settings = settingsFor(entry, provider, key, env);
  const contextTokens =
    entry.contextTokens === 'lookup'
      ? // If the data has no size for the model, its name may imply one.
        ((await lookUpContextTokens(entry, { directory: from, ...at('contextTokens') })) ??
        contextTokensOf(entry.model))
      : (entry.contextTokens ?? contextTokensOf(entry.model));
  try {
    return aiSdkModel(languageModelOf(module, provider, settings, entry), {
      id: `${entry.provider}/${entry.model}`,
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(entry.outputTokens === undefined ? {} : { outputTokens: entry.outputTokens }),
      baseURL: textIn(settings, 'baseURL') ?? textIn(settings, 'url'),
      // The settings' own fetch wraps that of the options, which is compared instead: it decides whether two models
      // are the same.
      endpoint: endpointOf({
        ...settings,
        package: provider.package,
        api: entry.api,
        authorization: key.authorization,
        fetch: entry.options?.['fetch'],
      }),
      secrets: [...key.secrets, ...Object.values(entry.headers ?? {}), ...secretsIn(entry.options)],
      ...(untried === undefined
        ? {}
        : { note: `${provider.package} was not tried with Shallot: it is used as its kind usually are.` }),
      reasoningTag: entry.reasoningTag,
      keySetting: key.setting,
      locate: locate === undefined ? undefined : (part) => at(part).at ?? locate(),
    });
  } catch (error) {
    if (!isShallotError(error)) throw error;
    const { code, message, transient } = error;
    const place = code === 'CONFIG_INVALID' ? at('api') : at();
    throw new ShallotError(code, { message, transient, cause: error, ...place });
  }
}

/** Runs both, so that a missing package and a missing key are reported together. */
async function bothOf<A, B>(importing: Promise<A>, find: () => B): Promise<readonly [A, B]> {
  const [imported, found] = await Promise.allSettled([importing, (async () => find())()]);
  if (imported.status === 'fulfilled' && found.status === 'fulfilled') return [imported.value, found.value];
  const [first, second] = [imported, found].flatMap((each) =>
    each.status === 'rejected' ? [each.reason as unknown] : [],
  );
  if (!isShallotError(first) || !isShallotError(second)) throw first;
  const { code, at } = first;
  throw new ShallotError(code, {
    message: `${first.message}\n    ${second.message}`,
    cause: first,
    ...(at && { at }),
  });
}

function entryOf(id: string): ProviderModelEntry {
  const slash = id.indexOf('/');
  return slash === -1
    ? { provider: id, model: '' }
    : { provider: id.slice(0, slash), model: id.slice(slash + 1) };
}

/**
 * Returns the conventions of other `@ai-sdk` packages for an unknown provider; undefined for a known provider or an
 * invalid name.
 */
function conventionalProvider({ provider: name, package: given }: ProviderModelEntry): Provider | undefined {
  if (given !== undefined || Object.hasOwn(providers, name) || !/^[a-z][a-z0-9-]*$/.test(name))
    return undefined;
  const key = `${name.toUpperCase().replaceAll('-', '_')}_API_KEY`;
  return { package: `@ai-sdk/${name}`, create: '', keys: [key], keyIsOptional: true };
}

function unlessMissing(error: unknown): undefined {
  if (!isShallotError(error, 'MODULE_NOT_FOUND')) throw error;
}

function providerOf(entry: ProviderModelEntry, at: At): Provider {
  const { provider: name, model, package: packageName } = entry;
  const known = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (packageName !== undefined)
    return { create: '', keys: [], keyIsOptional: true, ...known, package: packageName };
  if (known === undefined && model === '') {
    const message = `${JSON.stringify(name)} is not the name of a model. Write provider/model, or offline.`;
    throw new ShallotError('CONFIG_INVALID', { message, ...at() });
  }
  if (known === undefined) {
    const names = Object.keys(providers);
    const like = nearest(name, names);
    const advice =
      like === undefined
        ? `Known: ${names.join(', ')}; for another one, install @ai-sdk/${name} if there is such a package, write { provider: openai-compatible, baseURL, model }, or set its "package".`
        : `Did you mean "${like}"?`;
    throw new ShallotError('CONFIG_INVALID', {
      message: `There is no provider "${name}" (of the model "${name}/${model}"). ${advice}`,
      ...at('provider'),
    });
  }
  if (model === '') {
    const message = `The model "${name}" does not name a model of the provider. Write ${name}/MODEL.`;
    throw new ShallotError('CONFIG_INVALID', { message, ...at('model') });
  }
  if (known.needsURL === true && (entry.baseURL ?? entry.options?.['url']) === undefined) {
    const message = `The provider "${name}" needs a baseURL. Write { provider: ${name}, baseURL: 'https://…/v1', model: '${model}' }.`;
    throw new ShallotError('CONFIG_INVALID', { message, ...at() });
  }
  if (entry.baseURL !== undefined && !/^https?:\/\/./.test(entry.baseURL)) {
    const message = `The baseURL is ${JSON.stringify(entry.baseURL)}; write one that starts with http:// or https://.`;
    throw new ShallotError('CONFIG_INVALID', { message, ...at('baseURL') });
  }
  return known;
}

function settingsFor(
  { baseURL, headers, options }: ProviderModelEntry,
  { settings, needs = {}, path }: Provider,
  { value: apiKey, authorization }: ProviderKey,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const needed = Object.entries(needs).flatMap(([name, variable]) => {
    const value = env[variable];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  // Options of a config in code may contain functions.
  const own: unknown = options?.['fetch'];
  const fetch = boundedFetch(typeof own === 'function' ? (own as typeof globalThis.fetch) : undefined);
  return {
    ...settings,
    ...Object.fromEntries(needed),
    ...options,
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(baseURL === undefined || path === undefined ? {} : { url: addressOf(baseURL, path) }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers === undefined
      ? {}
      : { headers: { ...(options?.['headers'] as object | undefined), ...headers } }),
    fetch: authorization === undefined ? fetch : signByHeader(authorization, fetch),
  };
}

/** Returns the address with the path added, unless it ends with the path already. */
function addressOf(baseURL: string, path: string): string {
  const base = baseURL.replace(/\/+$/, '');
  return base.endsWith(path) ? base : `${base}${path}`;
}

function textIn(settings: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = settings[key];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the export of a package that creates a provider, by the naming convention of the AI SDK; undefined if there is
 * none.
 */
function creatorIn(module: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(module).filter((name) => /^create[A-Z]/.test(name));
  return module[names.toSorted((a, b) => a.length - b.length)[0] ?? ''];
}

/**
 * Creates the model. @throws `MODULE_INVALID` if the package is not a provider package; `CONFIG_INVALID` if it lacks the
 * API of the entry
 */
function languageModelOf(
  module: Readonly<Record<string, unknown>>,
  provider: Provider,
  settings: Readonly<Record<string, unknown>>,
  { provider: name, model, api }: ProviderModelEntry,
): AiSdkLanguageModel {
  const create = module[provider.create] ?? creatorIn(module);
  if (typeof create !== 'function')
    throw unusable(provider, 'it does not export a function that creates a provider');
  const made: unknown = Reflect.apply(create, undefined, [settings]);
  const isObject = typeof made === 'function' || (typeof made === 'object' && made !== null);
  const method: unknown = isObject ? Reflect.get(made, api ?? 'languageModel') : undefined;
  const make = typeof method !== 'function' && api === undefined ? made : method;
  if (typeof make !== 'function' && api !== undefined) {
    const message = `The provider "${name}" has no API "${api}" (${provider.package}). Remove api.`;
    throw new ShallotError('CONFIG_INVALID', { message });
  }
  if (typeof make !== 'function') throw unusable(provider, 'its provider has no language models');
  // `aiSdkModel` validates it.
  return Reflect.apply(make, made, [model]) as AiSdkLanguageModel;
}

function unusable(provider: Provider, why: string): ShallotError {
  const isKnown = Object.values(providers).some((known) => known.package === provider.package);
  const advice = isKnown ? `Install ${provider.package}@latest.` : 'Fix "package" of the model.';
  return new ShallotError('MODULE_INVALID', {
    message: `${provider.package} is not a usable provider package of the AI SDK: ${why}. ${advice}`,
  });
}
