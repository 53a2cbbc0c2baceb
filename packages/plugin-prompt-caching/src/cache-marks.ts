import type { Message } from '@shallot/core';
import type { CacheMarks, ModelRequest } from '@shallot/core/model';

/**
 * Returns as many marks as a provider accepts, the most useful first: the end of the history, the end of the
 * instructions, the end of the tools, and the end of the history in the previous step, where the provider looks
 * first.
 */
export function cacheMarks(
  { instructions, tools = [], messages }: Pick<ModelRequest, 'instructions' | 'tools' | 'messages'>,
  count: number,
): CacheMarks {
  const ends = endsOf(messages);
  const hasInstructions = instructions !== '' && count > 1;
  const hasTools = tools.length > 0 && count > (hasInstructions ? 2 : 1);
  const left = count - Number(hasInstructions) - Number(hasTools);
  return {
    ...(hasTools ? { tools: true } : {}),
    ...(hasInstructions ? { instructions: true } : {}),
    messages: ends.slice(0, left),
  };
}

/** Returns the ids of the messages just before the next answer and before earlier ones, latest first, at most two. */
function endsOf(messages: readonly Message[]): string[] {
  const ends: string[] = [];
  for (let index = messages.length - 1; index >= 0 && ends.length < 2; index -= 1) {
    const message = messages[index];
    const isEnd = index === messages.length - 1 || messages[index + 1]?.role === 'assistant';
    if (isEnd && message !== undefined && message.role !== 'assistant') ends.push(message.id);
  }
  return ends;
}
