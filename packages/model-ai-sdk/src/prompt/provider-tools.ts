import type { LanguageModelV4ProviderTool } from '@ai-sdk/provider';
import type { AssistantPart } from '@shallot/core';
import type { ProviderTool } from '@shallot/core/model';

import type { LanguageModel } from '../sdk/language-model.ts';
import { ownKeys, providerName } from '../sdk/metadata.ts';

/** Returns the tools that this provider executes, in the form of its package. */
export function ownProviderTools(
  tools: readonly ProviderTool[],
  model: Pick<LanguageModel, 'provider' | 'modelId'>,
): LanguageModelV4ProviderTool[] {
  const isOwn = ownKeys(model.provider);
  const name = providerName(model.provider);
  // Azure runs OpenAI's tools; the gateway those of the model's provider.
  const other = name === 'azure' ? 'openai' : name === 'gateway' ? model.modelId.split('/', 1)[0] : undefined;
  return tools.flatMap(({ id, name: called, args }) => {
    const [of = '', tool = ''] = id.split('.', 2);
    if (of !== other && !isOwn(of)) return [];
    return [{ type: 'provider' as const, id: `${of}.${tool}` as const, name: called, args: { ...args } }];
  });
}

/**
 * Returns a warning if no tool belongs to this provider. Tools of other providers next to its own are meant for other
 * models.
 */
export function foreignTools(
  tools: readonly ProviderTool[] = [],
  model: Pick<LanguageModel, 'provider' | 'modelId'>,
): readonly string[] {
  if (tools.length === 0 || ownProviderTools(tools, model).length > 0) return [];
  const ids = tools.map(({ id }) => id).join(', ');
  return [`None of the provider tools is offered (${ids}): they are those of other providers.`];
}

/** Returns a warning about provider tools that the provider expects the client to execute. */
export function clientTools(
  tools: readonly ProviderTool[] = [],
  content: readonly AssistantPart[],
): readonly string[] {
  return tools
    .filter(({ name }) => content.some((part) => part.type === 'tool-call' && part.name === name))
    .map(
      ({ id }) => `${id} has to be executed by a program, not by the provider. Remove it from providerTools.`,
    );
}
