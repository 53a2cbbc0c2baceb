import type { AssistantMessage } from '@shallot/core';

type AssistantPart = AssistantMessage['content'][number];

/** A call in the form in which clients are shown it. */
export type ShownCall = Pick<
  AssistantPart & { readonly type: 'tool-call' | 'provider-call' },
  'id' | 'name' | 'input'
> & { readonly type?: 'tool-call' | 'provider-call'; readonly raw?: string };

/**
 * Returns metadata with the citations, sources and files of an answer, because its text does not contain them;
 * undefined if there are none.
 */
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

/** Returns a place of a part as a place in the whole text. */
function shifted(key: string, place: number | undefined, by: number): object {
  return place === undefined ? {} : { [key]: place + by };
}

/** Returns a part without its type and without the metadata, which only the provider reads. */
function plain({ type: _, ...part }: AssistantPart): object {
  return Object.fromEntries(Object.entries(part).filter(([key]) => key !== 'metadata'));
}
