import type { Chunk, Emit } from '@shallot/core/model';

import { redactPart } from './redact-messages.ts';
import type { TextRedaction } from './text-redaction.ts';
import type { TextStage } from './text-stage.ts';

type TextChunk = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' }>;
type CallChunk = Extract<Chunk, { type: 'tool-call-delta' }>;

/** A part in progress. */
type OpenPart =
  | { readonly type: TextChunk['type']; readonly stage: TextStage }
  | { readonly type: CallChunk['type']; json: string };

/**
 * Redacts streamed chunks. Text that may begin a match is held back; the arguments of a tool call are emitted once they
 * are complete.
 */
export class RedactingStream {
  readonly #redaction: TextRedaction;
  readonly #emit: Emit;
  readonly #open = new Map<number, OpenPart>();
  /** True after a blocked value: nothing more is emitted, and the whole response is rejected. */
  #isBlocked = false;

  constructor(redaction: TextRedaction, emit: Emit) {
    this.#redaction = redaction;
    this.#emit = emit;
  }

  readonly push: Emit = (chunk) => {
    if (chunk.type === 'restart') {
      this.#open.clear();
      this.#isBlocked = false;
      return this.#emit(chunk);
    }
    return this.#send(() => this.#chunksFor(chunk));
  };

  /** Emits what is held back of parts without an end. */
  end(): void | Promise<void> {
    return this.#send(() => [...this.#open.keys()].flatMap((index) => this.#close(index)));
  }

  #send(make: () => readonly Chunk[]): void | Promise<void> {
    const [first, ...more] = this.#isBlocked ? [] : this.#unlessBlocked(make);
    if (first === undefined) return undefined;
    const pressure = this.#emit(first);
    return more.length === 0 ? pressure : this.#sendRest(pressure, more);
  }

  #unlessBlocked(make: () => readonly Chunk[]): readonly Chunk[] {
    try {
      return make();
    } catch {
      // The response is rejected for the same reason, which that error reports.
      this.#isBlocked = true;
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
      const end = part === undefined ? rest : { ...rest, part: redactPart(part, this.#redaction) };
      return [...this.#close(chunk.index), end];
    }
    if (chunk.type === 'tool-call-delta') return this.#holdCall(chunk);
    const text = this.#stageFor(chunk).push(chunk.text);
    return text === '' ? [] : [{ ...chunk, text }];
  }

  #stageFor({ index, type }: TextChunk): TextStage {
    const open = this.#open.get(index);
    if (open !== undefined && open.type !== 'tool-call-delta') return open.stage;
    const stage = this.#redaction.stage();
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
    try {
      const input: unknown = JSON.parse(json);
      // `JSON.parse` returns JSON.
      return JSON.stringify(this.#redaction.json(input as Parameters<TextRedaction['json']>[0]));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.#redaction.text(json);
    }
  }
}
