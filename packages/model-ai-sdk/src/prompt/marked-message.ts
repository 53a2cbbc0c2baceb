import type { PromptMessage } from '../sdk/language-model.ts';
import type { ProviderMetadata } from '../sdk/metadata.ts';

/** The parts to mark for the provider's cache, and the mark. */
export interface CacheMark {
  readonly instructions: boolean;
  readonly messages: ReadonlySet<string>;
  readonly mark: ProviderMetadata;
}

/** Returns a copy of a message with the cache mark at its end; the same message if there is no mark. */
export function markedMessage(message: PromptMessage, marks: CacheMark | undefined): PromptMessage {
  if (marks === undefined) return message;
  // The results of a step are merged into one message, so each is marked.
  if (message.role !== 'tool') return withOptions(message, marks.mark);
  return {
    ...message,
    content: message.content.map((part) => withOptions(part, marks.mark)),
  } as PromptMessage;
}

function withOptions<T extends { readonly providerOptions?: unknown }>(to: T, added: ProviderMetadata): T {
  const given = (to.providerOptions ?? {}) as ProviderMetadata;
  const merged = Object.entries(added).map(([name, value]) => [name, { ...value, ...given[name] }] as const);
  return { ...to, providerOptions: { ...given, ...Object.fromEntries(merged) } };
}
