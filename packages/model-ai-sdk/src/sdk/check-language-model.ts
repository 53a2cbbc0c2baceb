import type { LanguageModelV2 } from '@ai-sdk/provider';
import { ShallotError } from '@shallot/core';

import type { AiSdkLanguageModel } from './ai-sdk-language-model.ts';
import type { LanguageModel } from './language-model.ts';
import { modelOfVersion2 } from './model-of-version-2.ts';
import { packageOf } from './providers.ts';

const supported = ['v2', 'v3', 'v4'] as const satisfies readonly AiSdkLanguageModel['specificationVersion'][];

/**
 * Checks a model, and returns it; one of version 2 is wrapped. @throws `OPTION_INVALID` unless it is a model of a supported
 * version
 */
export function checkLanguageModel(model: AiSdkLanguageModel): LanguageModel {
  const given: Partial<AiSdkLanguageModel> = typeof model === 'object' && model !== null ? model : {};
  const { specificationVersion, provider, modelId, doGenerate, doStream } = given;
  if (typeof specificationVersion !== 'string' || typeof provider !== 'string') {
    throw invalid(
      `aiSdkModel takes a language model of an AI SDK provider, but got ${describe(model)}. Write, for example, aiSdkModel(anthropic('claude-sonnet-5')).`,
    );
  }
  if (!supported.includes(specificationVersion)) throw unsupported(specificationVersion, provider, modelId);
  if (typeof doGenerate !== 'function' || typeof doStream !== 'function' || typeof modelId !== 'string') {
    throw invalid(
      `The model of ${provider} is not a language model: it has no doGenerate and doStream. Use the provider's languageModel.`,
    );
  }
  // The version that was just checked determines the types of the two methods.
  const checked = model as unknown as LanguageModel | LanguageModelV2;
  return checked.specificationVersion === 'v2' ? modelOfVersion2(checked) : checked;
}

function unsupported(version: string, provider: string, modelId: unknown): ShallotError {
  const name = packageOf(provider);
  const isNewer = Number(/^v(\d+)$/.exec(version)?.[1] ?? 0) > 4;
  const advice = isNewer
    ? 'It is newer than this package. Install a newer one: @shallot/model-ai-sdk@latest.'
    : `Install a newer package of the provider${name === undefined ? ` ${provider}` : `: ${name}@latest`}.`;
  return invalid(
    `The model ${provider}/${String(modelId)} has version ${version} of the AI SDK's interface; ${supported.join(', ')} are supported. ${advice}`,
  );
}

function invalid(message: string): ShallotError {
  return new ShallotError('OPTION_INVALID', { message });
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return 'a provider, or another function; call it with the name of a model';
  return typeof value === 'object' ? 'another object' : `a ${typeof value}`;
}
