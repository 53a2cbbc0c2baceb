import type { Chunk, Emit } from '@shallot/core/model';

import { redactPart } from './redact-messages.ts';
import type { TextRedaction } from './text-redaction.ts';
import type { TextStage } from './text-stage.ts';

type TextChunk = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' }>;
type CallChunk = Extract<Chunk, { type: 'tool-call-delta' }>;

/** A part that is under way. */
type OpenPart =
  | { readonly type: TextChunk['type']; readonly stage: TextStage }
  | { readonly type: CallChunk['type']; json: string };

/**
 * Passes chunks on without what the redaction finds. Nothing leaves that may be the beginning of a match; the arguments of a
 * call leave when they are whole.
 */
export class RedactingStream {
  readonly #redaction: TextRedaction;
  readonly #emit: Emit;
  readonly #open = new Map<number, OpenPart>();
  /** Something was blocked: nothing more leaves, and the answer as a whole is refused. */
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

  /** Lets go of what is held of parts that nobody has ended. */
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
      // The answer will be refused for the same reason, by an error that says which.
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

  /** The name goes out at once, the arguments at the end. */
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
      // What `JSON.parse` gives is JSON.
      return JSON.stringify(this.#redaction.json(input as Parameters<TextRedaction['json']>[0]));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.#redaction.text(json);
    }
  }
}
