/** The tag around a model's reasoning in the text of its answer. */
export interface ReasoningTag {
  /** The name between the angle brackets, such as `think`. */
  readonly name: string;
  /** True if the template of the model opens the tag, so that the text begins inside of it. */
  readonly opened?: boolean;
}

export interface Piece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

type State = 'start' | 'thought' | 'text';

/**
 * Splits a text that arrives in pieces into reasoning and answer. A tag counts only at the beginning of the text or
 * right after reasoning, so an answer that mentions the tag is left alone. Text that may be the beginning of a tag,
 * and blanks around a tag, are held back until the next piece decides.
 */
export class TagSplitter {
  readonly #open: string;
  readonly #close: string;
  #state: State;
  #held = '';
  /**
   * True while no part of the reasoning, or of the text after it, was passed on. Blanks at such a place belong to the
   * tag.
   */
  #isBare: boolean;

  constructor({ name, opened = false }: ReasoningTag) {
    this.#open = `<${name}>`;
    this.#close = `</${name}>`;
    this.#state = opened ? 'thought' : 'start';
    this.#isBare = opened;
  }

  take(delta: string): readonly Piece[] {
    const pieces: Piece[] = [];
    this.#held += delta;
    while (this.#step(pieces)) {
      // Each step takes something from what is held, or changes the state.
    }
    return pieces;
  }

  /** Returns the rest at the end of the text. Without a closing tag it is still a thought. */
  end(): readonly Piece[] {
    const text = this.#state === 'thought' ? this.#held.trimEnd() : this.#held;
    this.#held = '';
    const isTagged = this.#isBare && text.trim() === '';
    return text === '' || isTagged ? [] : [this.#piece(text)];
  }

  #step(pieces: Piece[]): boolean {
    if (this.#state === 'start') return this.#begin(pieces);
    if (this.#isBare) this.#held = this.#held.trimStart();
    if (this.#held === '') return false;
    if (this.#state === 'text') {
      pieces.push(this.#piece(this.#held));
      this.#held = '';
      return false;
    }
    const end = this.#held.indexOf(this.#close);
    const isClosed = end !== -1;
    const ready = isClosed ? this.#held.slice(0, end) : this.#held.slice(0, this.#heldFrom());
    const thought = isClosed ? ready.trimEnd() : ready;
    if (thought !== '') pieces.push(this.#piece(thought));
    this.#held = this.#held.slice(isClosed ? end + this.#close.length : ready.length);
    if (isClosed) {
      this.#state = 'start';
      this.#isBare = true;
    }
    return isClosed;
  }

  /** Decides whether a thought begins. */
  #begin(pieces: Piece[]): boolean {
    const text = this.#held.trimStart();
    if (text.startsWith(this.#open)) {
      // Several thoughts in a row are one, in lines of their own.
      if (this.#isBare) pieces.push({ type: 'reasoning', text: '\n' });
      this.#held = text.slice(this.#open.length);
      this.#state = 'thought';
      this.#isBare = true;
      return true;
    }
    if (this.#open.startsWith(text)) return false;
    this.#state = 'text';
    return true;
  }

  /** Returns the index from which text is held back: blanks at the end, and a possible beginning of the closing tag. */
  #heldFrom(): number {
    const text = this.#held;
    const bracket = text.lastIndexOf('<');
    const isTag = bracket !== -1 && this.#close.startsWith(text.slice(bracket));
    return (isTag ? text.slice(0, bracket) : text).trimEnd().length;
  }

  #piece(text: string): Piece {
    this.#isBare = false;
    return { type: this.#state === 'thought' ? 'reasoning' : 'text', text };
  }
}

/** Splits a whole text. */
export function splitThoughts(text: string, tag: ReasoningTag): readonly Piece[] {
  const splitter = new TagSplitter(tag);
  const parts: Piece[] = [];
  for (const piece of [...splitter.take(text), ...splitter.end()]) {
    const last = parts.at(-1);
    if (last?.type === piece.type) parts[parts.length - 1] = { ...last, text: last.text + piece.text };
    else parts.push(piece);
  }
  return parts;
}
