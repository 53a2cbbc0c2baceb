import type { ProviderCallPart, ProviderResultPart } from '@shallot/core/model';

import type { PartOf } from '../sdk/language-model.ts';

/** What a provider did itself, as its package takes it back. */
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
  // JSON of the core is JSON of the AI SDK, but for `readonly`.
  return {
    type: 'tool-result',
    toolCallId: part.callId,
    toolName,
    output: { type, value: part.result } as never,
  };
}
