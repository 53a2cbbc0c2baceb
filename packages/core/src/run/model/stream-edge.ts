import { loadValidator } from '../../base/json-schema/load-validator.ts';
import { sameJson } from '../../base/json.ts';
import type { AssistantMessage, AssistantPart } from '../../contract/messages.ts';
import type { Chunk, Emit } from '../../contract/model.ts';
import { Pressure, type Sink } from '../../hooks/sink.ts';

/** A part as the listener has received it so far. */
interface SeenPart {
  readonly type: AssistantPart['type'];
  text: string;
  id: string | undefined;
  name: string | undefined;
}

/**
 * The outer end of a streamed response: passes chunks to the listener and, at the end, makes sure that they add up to
 * the stored message.
 */
export class StreamEdge implements Sink<Chunk> {
  dirty = false;
  readonly pressure = new Pressure();
  readonly push: Emit;
  readonly #listener: Emit;
  #parts: (SeenPart | undefined)[] = [];

  constructor(listener: Emit) {
    this.#listener = listener;
    this.push = (chunk) => {
      this.#note(chunk);
      return this.pressure.note(this.#listener(chunk));
    };
  }

  /** The text streamed so far. */
  get text(): string {
    return this.#parts.map((part) => (part?.type === 'text' ? part.text : '')).join('');
  }

  /**
   * Compares the streamed chunks with the final message. If they differ, restarts the stream and sends the whole
   * content.
   */
  async settle(message: AssistantMessage): Promise<void> {
    if (this.#shows(message)) return;
    await this.retract();
    await this.show(message.content);
  }

  /** Sends the whole content as chunks. */
  async show(content: readonly AssistantPart[]): Promise<void> {
    for (const [index, part] of content.entries()) {
      for (const chunk of chunksOf(part, index)) await this.push(chunk);
    }
  }

  /** Sends `restart` if chunks were sent, which discards them. */
  async retract(): Promise<void> {
    if (this.dirty) await this.push({ type: 'restart' });
  }

  #note(chunk: Chunk): void {
    if (chunk.type === 'restart') {
      this.dirty = false;
      this.#parts = [];
      return;
    }
    this.dirty = true;
    if (chunk.type === 'part-end') {
      if (chunk.part !== undefined && whole.has(chunk.part.type))
        this.#parts[chunk.index] = { type: chunk.part.type, text: '', id: undefined, name: undefined };
      return;
    }
    const part = this.#parts[chunk.index];
    if (part !== undefined) part.text += chunk.text;
    else {
      this.#parts[chunk.index] = firstSeen(chunk);
      // Loads the validator early, while the arguments are still streamed.
      if (chunk.type === 'tool-call-delta') loadValidator();
    }
  }

  /** Returns true if the streamed parts equal the message, not counting reasoning. */
  #shows(message: AssistantMessage): boolean {
    const seen = this.#parts.filter((part) => part !== undefined && counts(part.type)) as SeenPart[];
    const wanted = message.content.filter((part) => counts(part.type));
    return seen.length === wanted.length && wanted.every((part, index) => isSame(part, seen[index]));
  }
}

function firstSeen(chunk: Exclude<Chunk, { type: 'part-end' | 'restart' }>): SeenPart {
  const { id, name } = chunk.type === 'tool-call-delta' ? chunk : {};
  return { type: partTypes[chunk.type], text: chunk.text, id, name };
}

/** Parts that are sent in one piece: only their type is compared. */
const whole: ReadonlySet<AssistantPart['type']> = new Set([
  'file',
  'source',
  'provider-call',
  'provider-result',
] as const);

const partTypes = {
  'text-delta': 'text',
  'reasoning-delta': 'reasoning',
  'tool-call-delta': 'tool-call',
} as const;

function counts(type: string): boolean {
  return type !== 'reasoning';
}

function isSame(part: AssistantPart, seen: SeenPart | undefined): boolean {
  if (seen === undefined || part.type !== seen.type) return false;
  if (part.type === 'text') return part.text === seen.text;
  if (part.type !== 'tool-call') return true;
  if (part.name !== seen.name || part.id !== seen.id) return false;
  return sameArguments(part.raw, part.input, seen.text);
}

function sameArguments(raw: string | undefined, input: unknown, text: string): boolean {
  if (raw !== undefined) return raw === text;
  try {
    return sameJson(text === '' ? {} : JSON.parse(text), input);
  } catch {
    // Text that is not JSON differs from the input.
    return false;
  }
}

/** Returns the chunks for a part. */
function chunksOf(part: AssistantPart, index: number): Chunk[] {
  const end: Chunk = { type: 'part-end', index, part };
  switch (part.type) {
    case 'text':
      return [{ type: 'text-delta', index, text: part.text }, end];
    case 'reasoning':
      return [{ type: 'reasoning-delta', index, text: part.text }, end];
    case 'tool-call': {
      const text = part.raw ?? JSON.stringify(part.input);
      return [{ type: 'tool-call-delta', index, id: part.id, name: part.name, text }, end];
    }
    default:
      return [end];
  }
}
