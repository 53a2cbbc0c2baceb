import type { AssistantMessage } from '@shallot/core';

type AssistantPart = AssistantMessage['content'][number];

/** A call as clients are shown it. */
export type ShownCall = Pick<
  AssistantPart & { readonly type: 'tool-call' | 'provider-call' },
  'id' | 'name' | 'input'
> & { readonly type?: 'tool-call' | 'provider-call'; readonly raw?: string };

/** Returns what the text of an answer does not hold, for its metadata: citations, sources and files; undefined if there are none. */
export function citedIn(content: AssistantMessage['content']): object | undefined {
  const citations: object[] = [];
  let length = 0;
  for (const part of content) {
    if (part.type !== 'text') continue;
    for (const { start, end, ...citation } of part.citations ?? [])
      citations.push({ ...citation, ...shifted('start', start, length), ...shifted('end', end, length) });
    length += part.text.length;
  }
  const sources = content.filter(({ type }) => type === 'source').map(plain);
  const files = content.filter(({ type }) => type === 'file').map(plain);
  const found = Object.entries({ citations, sources, files }).filter(([, list]) => list.length > 0);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Places count from the beginning of the whole text. */
function shifted(key: string, place: number | undefined, by: number): object {
  return place === undefined ? {} : { [key]: place + by };
}

/** A part without what only the provider reads. */
function plain({ type: _, ...part }: AssistantPart): object {
  return Object.fromEntries(Object.entries(part).filter(([key]) => key !== 'metadata'));
}
