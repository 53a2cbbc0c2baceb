import { ShallotError } from '../base/errors.ts';
import { placeModel } from '../contract/model-error.ts';
import { isChatModel, type ChatModel } from '../contract/model.ts';
import type { Config, ProviderModelEntry } from './check/config.ts';
import type { Environment } from './load-config.ts';
import type { ConfigPath, Mention } from './modules/locate.ts';
import { importFound, resolveModule } from './modules/resolve-module.ts';
import { offline, offlineModel } from './offline-model.ts';
import { findPackage } from './packages/find-package.ts';
import { installCommand } from './packages/install-command.ts';
import { isPath } from './packages/names.ts';
import { providerNeeds } from './packages/provider-needs.ts';
import { callMaker, resolveMaker } from './resolve-maker.ts';

/** The package that creates models of providers: `resolveModel('provider/model', { from: directory, locate, env })`. */
const providerModels = '@shallot/model-ai-sdk';

/**
 * Resolves the `model` of a config, and returns a function that creates it. @throws `MODULE_NOT_FOUND`; the function
 * `MODULE_FAILED`, `MODULE_INVALID`, `ESBUILD_MISSING`
 */
export function resolveModel(
  model: Mention<NonNullable<Config['model']>>,
  env: Environment,
): () => Promise<ChatModel> {
  const { value, directory, locate } = model;
  if (isChatModel(value)) return () => Promise.resolve(placeModel(value, locate()));
  if (value === offline) return () => Promise.resolve(offlineModel);
  if (typeof value === 'string' && !isPath(value)) return resolveProviderModel(value, model, env);
  if (typeof value !== 'string' && 'provider' in value) return resolveProviderModel(value, model, env);
  const entry = typeof value === 'string' ? { use: value } : value;
  const make = resolveMaker(entry, { directory, at: locate() }, { what: 'model', is: isChatModel });
  return async () => placeModel(await make(), locate());
}

function resolveProviderModel(
  named: string | ProviderModelEntry,
  { directory, locate }: Mention<unknown>,
  env: Environment,
): () => Promise<ChatModel> {
  const id = typeof named === 'string' ? named : `${named.provider}/${named.model}`;
  const place = { directory, at: locate() };
  if (findPackage(providerModels, directory) === undefined) {
    const message = `The model "${id}" needs ${missingOf(named, id, directory)}`;
    throw new ShallotError('MODULE_NOT_FOUND', { message, at: place.at });
  }
  const found = resolveModule(providerModels, place, {});
  return async () => {
    const { resolveModel: resolve } = await importFound(found, place);
    const options = { from: directory, locate: (path?: ConfigPath) => locate(path), env };
    const model = await callMaker(resolve, [named, options], place);
    if (isChatModel(model)) return placeModel(model, place.at);
    throw new ShallotError('MODULE_INVALID', {
      message: `${providerModels} does not provide the model "${id}": ${found.file} has an incompatible version.`,
      at: place.at,
    });
  };
}

/** Returns everything that a model lacks, packages and API key, in one sentence, so that users need one attempt. */
function missingOf(named: string | ProviderModelEntry, id: string, directory: string): string {
  const entry = typeof named === 'string' ? { provider: id.split('/', 1)[0] ?? '' } : named;
  const needs = Object.hasOwn(providerNeeds, entry.provider) ? providerNeeds[entry.provider] : undefined;
  const hasOwnPackage = 'package' in entry && entry.package !== undefined;
  const ofProvider = hasOwnPackage ? undefined : needs?.package;
  const isMissing = ofProvider !== undefined && findPackage(ofProvider, directory) === undefined;
  const packages = isMissing ? [providerModels, ofProvider] : [providerModels];
  const key = hasOwnPackage || 'apiKey' in entry || needs?.keyIsOptional === true ? undefined : needs?.key;
  return (
    `the package${isMissing ? 's' : ''} ${packages.join(' and ')}, which ${isMissing ? 'are' : 'is'} not installed` +
    `${key === undefined ? '' : `, and a key in ${key}`}. Run: ${installCommand(packages, directory)}`
  );
}
