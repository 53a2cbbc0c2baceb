/** One page of the results of a listing or a search, and a note about the rest. */
export class Page {
  readonly lines: string[] = [];
  readonly #skip: number;
  readonly #maxResults: number;
  readonly #maxCharacters: number;
  #results = 0;
  #characters = 0;

  constructor(skip: number, { maxResults, maxCharacters }: { maxResults: number; maxCharacters: number }) {
    this.#skip = skip;
    this.#maxResults = maxResults;
    this.#maxCharacters = maxCharacters;
  }

  /** The number of results found before this one, including those that are skipped. */
  get found(): number {
    return this.#results;
  }

  /** The number of results shown. */
  get shown(): number {
    return Math.max(0, this.#results - this.#skip);
  }

  /** True if the next result belongs to an earlier page. */
  get isSkipping(): boolean {
    return this.#results < this.#skip;
  }

  get isFull(): boolean {
    return this.shown >= this.#maxResults || this.#characters >= this.#maxCharacters;
  }

  /** Counts a result that is not shown. */
  skip(): void {
    this.#results += 1;
  }

  /** Shows a result. Must be called only if neither `isSkipping` nor `isFull`. */
  add(line: string): void {
    this.#results += 1;
    this.note(line);
  }

  /** Shows a line that is not a result. */
  note(line: string): void {
    this.lines.push(line);
    this.#characters += line.length + 1;
  }

  /** Returns the note about results that did not fit. */
  more(what: string): string {
    return `${this.shown} ${what} are shown, and there are more. Call it again with skip ${this.#results}, or narrow the search.`;
  }
}

/** Returns the lines of a result, with notes about omissions in brackets at the end. */
export function withNotes(lines: readonly string[], notes: readonly string[]): string {
  const said = notes.filter((note) => note !== '');
  return [...lines, ...(said.length === 0 ? [] : [`[${said.join(' ')}]`])].join('\n');
}

export function counted(count: number, one: string, many: string): string {
  if (count === 0) return '';
  return count === 1 ? one : `${count} ${many}`;
}
