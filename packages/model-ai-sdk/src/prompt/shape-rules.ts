import type { PartOf, PromptMessage } from '../sdk/language-model.ts';
import { providerName } from '../sdk/metadata.ts';

/** The rules of a provider for the shape of a conversation. */
export interface ShapeRules {
  /** True if blank texts are rejected. */
  readonly refusesBlank: boolean;
  /** True if the conversation must begin with the user. */
  readonly startsWithUser: boolean;
  /** True if a result with files may have only one text, at its start, because each text would count as a result. */
  readonly joinsResultTexts: boolean;
  /** True if documents need a text in the same message, and distinct names of plain characters. */
  readonly namesDocuments: boolean;
}

/** Replaces a text that would be blank, if one is required. */
export const emptyText = '(empty)';

const opening = '(The conversation begins with the assistant.)';

export function shapeRulesOf(provider: string): ShapeRules {
  const isAnthropic = provider.split(/[^a-z]+/).includes('anthropic');
  const name = providerName(provider);
  const isGemini = !isAnthropic && (name === 'google' || name === 'vertex');
  const refusesBlank = isAnthropic || name === 'amazon-bedrock';
  return {
    refusesBlank,
    startsWithUser: refusesBlank || isGemini,
    joinsResultTexts: isGemini,
    namesDocuments: name === 'amazon-bedrock',
  };
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Removes reasoning at the end, which is left of a response that was cut off while the model was thinking. */
export function withoutLastThoughts(content: readonly PartOf<'assistant'>[]): readonly PartOf<'assistant'>[] {
  const last = content.findLastIndex(({ type }) => type !== 'reasoning');
  return last === content.length - 1 ? content : content.slice(0, last + 1);
}

/** Adds a user message before an assistant message at the start, such as a greeting. */
export function beginWithUser(prompt: PromptMessage[]): void {
  const first = prompt.findIndex(({ role }) => role !== 'system');
  if (prompt[first]?.role !== 'assistant') return;
  prompt.splice(first, 0, { role: 'user', content: [{ type: 'text', text: opening }] });
}
