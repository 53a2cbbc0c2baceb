import type { Message, Source } from '../../contract/messages.ts';

const none: readonly Source[] = Object.freeze([]);

/** Returns the sources of the messages from an index on, including cited ones, without duplicates. */
export function sourcesOf(messages: readonly Message[], from: number): readonly Source[] {
  let found: Map<string, Source> | undefined;
  const add = (source: Source): void => {
    found ??= new Map();
    const key = keyOf(source);
    const known = found.get(key);
    if (known === undefined || (known.title === undefined && source.title !== undefined))
      found.set(key, plainSource(source));
  };
  // By index: V8 slices frozen arrays ten times slower.
  for (let index = from; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type === 'source') add(part);
      else if (part.type === 'text') for (const { source } of part.citations ?? []) add(source);
    }
  }
  return found === undefined ? none : Object.freeze([...found.values()]);
}

/** Identifies a source by URL or name: providers use a new id for each reference to one page or document. */
function keyOf({ id, url, title, name }: Source): string {
  if (url !== undefined) return url;
  return title === undefined && name === undefined ? `id ${id}` : JSON.stringify([title, name]);
}

function plainSource({ id, url, title, mediaType, name }: Source): Source {
  return Object.freeze({
    id,
    ...(url === undefined ? {} : { url }),
    ...(title === undefined ? {} : { title }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(name === undefined ? {} : { name }),
  });
}
