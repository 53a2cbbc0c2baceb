import { ShallotError } from '../errors.ts';
import type { ChatModel } from '../model.ts';
import type { Config } from './config.ts';
import { findPackage } from './find-package.ts';
import { isChatModel } from './kinds.ts';
import type { Mention } from './locate.ts';
import { isPath } from './names.ts';
import { installCommand } from './package-manager.ts';
import { callMaker, resolveMaker } from './resolve-maker.ts';
import { importFound, resolveModule } from './resolve-module.ts';

/** The package that knows the models of providers by name: `resolveModel('provider/model', { from: directory })`. */
const providerModels = '@shallot/model-ai-sdk';

/**
 * Finds what a config's `model` means, and gives the function that makes it.
 * @throws `MODULE_NOT_FOUND`; the function `MODULE_FAILED`, `MODULE_INVALID`, `ESBUILD_MISSING`
 */
export function resolveModel(model: Mention<NonNullable<Config['model']>>): () => Promise<ChatModel> {
  const { value, directory, locate } = model;
  if (isChatModel(value)) return () => Promise.resolve(value);
  if (typeof value === 'string' && !isPath(value)) return resolveProviderModel(value, model);
  const entry = typeof value === 'string' ? { use: value } : value;
  return resolveMaker(entry, { directory, at: locate() }, { what: 'model', is: isChatModel });
}

function resolveProviderModel(id: string, { directory, locate }: Mention<unknown>): () => Promise<ChatModel> {
  const place = { directory, at: locate() };
  if (findPackage(providerModels, directory) === undefined) {
    throw new ShallotError('MODULE_NOT_FOUND', {
      message:
        `The model "${id}" needs the package ${providerModels}, which is not installed. ` +
        `Run: ${installCommand(providerModels, directory)}`,
      at: place.at,
    });
  }
  const found = resolveModule(providerModels, place);
  return async () => {
    const { resolveModel: resolve } = await importFound(found, place);
    const model = await callMaker(resolve, [id, { from: directory }], place);
    if (isChatModel(model)) return model;
    throw new ShallotError('MODULE_INVALID', {
      message: `${providerModels} makes no model of "${id}": ${found.file} is of a version that does not fit.`,
      at: place.at,
    });
  };
}
