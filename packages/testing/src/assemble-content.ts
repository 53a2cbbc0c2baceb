import type { AssistantPart } from '@shallot/core';
import { parseArguments, type Chunk } from '@shallot/core/model';

/**
 * Assembles the parts of a message from its chunks since the last `restart`, in the order of their indexes. Argument
 * text that is not JSON becomes `raw`, as the contract of a tool call requires.
 */
export function assembleContent(chunks: Iterable<Chunk>): AssistantPart[] {
  const parts = new Map<number, OpenPart>();
  for (const chunk of chunks) {
    if (chunk.type === 'restart') {
      parts.clear();
    } else if (chunk.type === 'part-end') {
      if (chunk.part !== undefined) parts.set(chunk.index, { whole: chunk.part });
    } else {
      parts.set(chunk.index, addDelta(parts.get(chunk.index), chunk));
    }
  }
  return [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => close(part));
}

/** Returns a tool call part for arguments written as text. */
export function toolCallPart(id: string, name: string, text: string): AssistantPart {
  const input = text.trim() === '' ? undefined : parseArguments(text);
  // Broken JSON is kept as the model wrote it.
  return { type: 'tool-call', id, name, ...(input === undefined ? { input: {}, raw: text } : { input }) };
}

type Delta = Extract<Chunk, { readonly text: string }>;
type OpenPart = { readonly whole: AssistantPart } | Delta;

function addDelta(part: OpenPart | undefined, delta: Delta): Delta {
  if (part === undefined) return delta;
  if ('whole' in part || part.type !== delta.type) {
    throw new Error(
      `Part ${delta.index} of a stream got a ${delta.type} after its end, or after a chunk of another kind.`,
    );
  }
  return { ...delta, ...part, text: part.text + delta.text };
}

function close(part: OpenPart): AssistantPart {
  if ('whole' in part) return part.whole;
  if (part.type === 'text-delta') return { type: 'text', text: part.text };
  if (part.type === 'reasoning-delta') return { type: 'reasoning', text: part.text };
  return toolCallPart(part.id ?? '', part.name ?? '', part.text);
}
