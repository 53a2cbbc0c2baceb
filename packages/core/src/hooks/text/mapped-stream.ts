import type { JsonValue } from '../../base/json.ts';
import type { Chunk, Emit } from '../../contract/model.ts';
import type { WholeMapping } from './text-mapping.ts';
import type { TextStage } from './text-stage.ts';

type TextChunk = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' }>;
type CallChunk = Extract<Chunk, { type: 'tool-call-delta' }>;

/** A part in progress. */
type OpenPart =
  | { readonly type: TextChunk['type']; readonly stage: TextStage }
  | { readonly type: CallChunk['type']; json: string };

/**
 * Changes streamed chunks. Text whose change may depend on later chunks is held back. If the mapping changes the arguments
 * of tool calls, these are emitted once they are complete.
 */
export class MappedStream {
  readonly #mapping: WholeMapping;
  readonly #emit: Emit;
  readonly #open = new Map<number, OpenPart>();
  /** True after the mapping threw: nothing more is emitted. */
  #hasFailed = false;

  constructor(mapping: WholeMapping, emit: Emit) {
    this.#mapping = mapping;
    this.#emit = emit;
  }

  readonly push: Emit = (chunk) => {
    if (chunk.type === 'restart') {
      this.#open.clear();
      this.#hasFailed = false;
      return this.#emit(chunk);
    }
    return this.#send(() => this.#chunksFor(chunk));
  };

  /** Emits the text held back in parts that have not ended. */
  end(): void | Promise<void> {
    return this.#send(() => [...this.#open.keys()].flatMap((index) => this.#close(index)));
  }

  #send(make: () => readonly Chunk[]): void | Promise<void> {
    const [first, ...more] = this.#hasFailed ? [] : this.#unlessFailed(make);
    if (first === undefined) return undefined;
    const pressure = this.#emit(first);
    return more.length === 0 ? pressure : this.#sendRest(pressure, more);
  }

  #unlessFailed(make: () => readonly Chunk[]): readonly Chunk[] {
    try {
      return make();
    } catch {
      // The response fails for the same reason, and its error reports it.
      this.#hasFailed = true;
      this.#open.clear();
      return [];
    }
  }

  async #sendRest(pressure: void | Promise<void>, chunks: readonly Chunk[]): Promise<void> {
    await pressure;
    for (const chunk of chunks) await this.#emit(chunk);
  }

  #chunksFor(chunk: Exclude<Chunk, { type: 'restart' }>): readonly Chunk[] {
    if (chunk.type === 'part-end') {
      const { part, ...rest } = chunk;
      const end = part === undefined ? rest : { ...rest, part: this.#mapping.part(part) };
      return [...this.#close(chunk.index), end];
    }
    if (chunk.type === 'tool-call-delta')
      return this.#mapping.input === undefined ? [chunk] : this.#holdCall(chunk);
    if (chunk.type === 'reasoning-delta' && this.#mapping.reasoning !== true) return [chunk];
    const text = this.#stageFor(chunk).push(chunk.text);
    return text === '' ? [] : [{ ...chunk, text }];
  }

  #stageFor({ index, type }: TextChunk): TextStage {
    const open = this.#open.get(index);
    if (open !== undefined && open.type !== 'tool-call-delta') return open.stage;
    const stage = this.#mapping.stage();
    this.#open.set(index, { type, stage });
    return stage;
  }

  /** Emits the name at once, and the arguments at the end. */
  #holdCall(chunk: CallChunk): readonly Chunk[] {
    const open = this.#open.get(chunk.index);
    if (open?.type === 'tool-call-delta') {
      open.json += chunk.text;
      return chunk.id === undefined && chunk.name === undefined ? [] : [{ ...chunk, text: '' }];
    }
    this.#open.set(chunk.index, { type: chunk.type, json: chunk.text });
    return [{ ...chunk, text: '' }];
  }

  #close(index: number): readonly Chunk[] {
    const open = this.#open.get(index);
    if (open === undefined) return [];
    this.#open.delete(index);
    const text = open.type === 'tool-call-delta' ? this.#arguments(open.json) : open.stage.end();
    return text === '' ? [] : [{ type: open.type, index, text }];
  }

  #arguments(json: string): string {
    const input = parsed(json);
    if (input !== undefined) return JSON.stringify(this.#mapping.input?.(input));
    const stage = this.#mapping.stage();
    return stage.push(json) + stage.end();
  }
}

/** Parses JSON. Returns undefined for anything else, such as the arguments of a call that was cut off. */
function parsed(json: string): JsonValue | undefined {
  try {
    // `JSON.parse` returns JSON.
    return JSON.parse(json) as JsonValue;
  } catch {
    // Arguments that are not JSON are changed as text.
    return undefined;
  }
}
