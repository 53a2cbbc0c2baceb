import type { ProviderCallPart, ProviderResultPart } from '@shallot/core/model';

import type { PartOf } from '../sdk/language-model.ts';

/** Returns a provider tool call or result in the form that its package accepts. */
export function providerBlock(part: ProviderCallPart | ProviderResultPart): PartOf<'assistant'> {
  const { name: toolName } = part;
  if (part.type === 'provider-call')
    return {
      type: 'tool-call',
      toolCallId: part.id,
      toolName,
      input: part.input,
      providerExecuted: true,
    };
  const type = part.isError === true ? 'error-json' : 'json';
  // The JSON types differ only in `readonly`.
  return {
    type: 'tool-result',
    toolCallId: part.callId,
    toolName,
    output: { type, value: part.result } as never,
  };
}
