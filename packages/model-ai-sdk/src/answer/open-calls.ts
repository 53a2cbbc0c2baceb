/** A call whose arguments are being streamed. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** Its place in the answer. */
  readonly index: number;
  /** Whether the pieces are those of the argument text: of text that becomes JSON only later, they are not. */
  readonly isJson: boolean;
  /** The argument text so far. */
  text: string;
}

/** The calls that are being streamed. Some providers give several of them one id. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall[]>();

  add(call: OpenCall): void {
    const calls = this.#calls.get(call.id);
    if (calls === undefined) this.#calls.set(call.id, [call]);
    else calls.push(call);
  }

  /** The call that a piece is of: of several with one id, the last that began. */
  get(id: string): OpenCall | undefined {
    return this.#calls.get(id)?.at(-1);
  }

  /** Takes out the call that has come to its end: of several with one id, the one with these arguments. */
  take(id: string, input: string): OpenCall | undefined {
    const calls = this.#calls.get(id);
    if (calls === undefined) return undefined;
    const same = calls.findIndex(({ text }) => text === input);
    const [call] = calls.splice(Math.max(0, same), 1);
    if (calls.length === 0) this.#calls.delete(id);
    return call;
  }

  /** Those that have not come to their end. */
  get left(): readonly OpenCall[] {
    return [...this.#calls.values()].flat();
  }
}
