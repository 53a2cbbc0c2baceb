import type { GeneratedContent, StreamPart } from '../sdk/language-model.ts';
import { splitThoughts, TagSplitter, type Piece, type ReasoningTag } from './tag-splitter.ts';

/** Returns the content with a separate reasoning part for each text between tags. */
export function withThoughts(
  content: readonly GeneratedContent[],
  tag: ReasoningTag | undefined,
): readonly GeneratedContent[] {
  if (tag === undefined) return content;
  return content.flatMap((part): GeneratedContent[] =>
    part.type === 'text' ? splitThoughts(part.text, tag).map(({ type, text }) => ({ type, text })) : [part],
  );
}

/** Converts the text between tags in a streamed answer to reasoning. */
export class TaggedThoughts {
  readonly #tag: ReasoningTag;
  readonly #texts = new Map<string, { readonly splitter: TagSplitter; isThinking: boolean }>();

  constructor(tag: ReasoningTag) {
    this.#tag = tag;
  }

  take(part: StreamPart): readonly StreamPart[] {
    switch (part.type) {
      case 'text-delta':
        return this.#parts(part.id, this.#textOf(part.id).splitter.take(part.delta));
      case 'text-end':
        return [...this.#end(part.id), part];
      case 'finish':
        // Some packages do not end their texts.
        return [...[...this.#texts.keys()].flatMap((id) => this.#end(id)), part];
      default:
        return [part];
    }
  }

  #textOf(id: string): { readonly splitter: TagSplitter; isThinking: boolean } {
    const text = this.#texts.get(id) ?? { splitter: new TagSplitter(this.#tag), isThinking: false };
    this.#texts.set(id, text);
    return text;
  }

  #end(id: string): readonly StreamPart[] {
    const text = this.#textOf(id);
    const parts = this.#parts(id, text.splitter.end());
    this.#texts.delete(id);
    return text.isThinking ? [...parts, { type: 'reasoning-end', id }] : parts;
  }

  #parts(id: string, pieces: readonly Piece[]): readonly StreamPart[] {
    const text = this.#textOf(id);
    return pieces.flatMap(({ type, text: delta }): StreamPart[] => {
      const wasThinking = text.isThinking;
      text.isThinking = type === 'reasoning';
      if (type === 'reasoning') return [{ type: 'reasoning-delta', id, delta }];
      const said: StreamPart = { type: 'text-delta', id, delta };
      return wasThinking ? [{ type: 'reasoning-end', id }, said] : [said];
    });
  }
}
