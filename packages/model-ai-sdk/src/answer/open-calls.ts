/** A tool call whose arguments are being streamed. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** Its index in the response. */
  readonly index: number;
  /** True if the pieces are JSON; false if the text is converted to JSON at the end. */
  readonly isJson: boolean;
  /** The argument text so far. */
  text: string;
}

/** The tool calls being streamed. Some providers use one id for several of them. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall[]>();

  add(call: OpenCall): void {
    const calls = this.#calls.get(call.id);
    if (calls === undefined) this.#calls.set(call.id, [call]);
    else calls.push(call);
  }

  /** Returns the call of a piece; undefined if there is none. If several calls have its id, this is the last one. */
  get(id: string): OpenCall | undefined {
    return this.#calls.get(id)?.at(-1);
  }

  /**
   * Removes and returns a finished call. If several calls have its id, this is the one with these arguments, or else the
   * first.
   */
  take(id: string, input: string): OpenCall | undefined {
    const calls = this.#calls.get(id);
    if (calls === undefined) return undefined;
    const same = calls.findIndex(({ text }) => text === input);
    const [call] = calls.splice(Math.max(0, same), 1);
    if (calls.length === 0) this.#calls.delete(id);
    return call;
  }

  /** The unfinished calls. */
  get left(): readonly OpenCall[] {
    return [...this.#calls.values()].flat();
  }
}
