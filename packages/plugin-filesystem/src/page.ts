/** The page of results that a listing or a search returns at most, and its note about the rest. */
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

  /** True if the next result was on an earlier page. */
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

  /** Shows a result: call it if neither `isSkipping` nor `isFull`. */
  add(line: string): void {
    this.#results += 1;
    this.note(line);
  }

  /** Shows a line that is not a result. */
  note(line: string): void {
    this.lines.push(line);
    this.#characters += line.length + 1;
  }

  /** Returns the note about results that there was no room for. */
  more(what: string): string {
    return `${this.shown} ${what} are shown, and there are more. Call it again with skip ${this.#results}, or narrow the search.`;
  }
}

/** The lines of a result, with what was left out in brackets. */
export function withNotes(lines: readonly string[], notes: readonly string[]): string {
  const said = notes.filter((note) => note !== '');
  return [...lines, ...(said.length === 0 ? [] : [`[${said.join(' ')}]`])].join('\n');
}

export function counted(count: number, one: string, many: string): string {
  if (count === 0) return '';
  return count === 1 ? one : `${count} ${many}`;
}
