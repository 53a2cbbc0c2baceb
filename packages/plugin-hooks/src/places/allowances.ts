import type { JsonValue, RunInfo, ToolCall } from '@shallot/core';
import type { PreApprovals } from '@shallot/core/plugin';

import { digestOf } from './hook-runs.ts';

type AllowedRun = Pick<RunInfo, 'id'>;

/** Calls in progress that hooks allow, for approval plugins whose options name this plugin. */
export class Allowances implements PreApprovals {
  readonly #allowed = new Map<string, { readonly inputs: ReadonlySet<string>; readonly because: string }>();

  /**
   * Executes a call, which counts as allowed until it ends, with its own arguments or with those that the schema makes
   * of them.
   */
  async during<T>(
    call: ToolCall,
    run: AllowedRun,
    { because, output }: { readonly because: string; readonly output: JsonValue | undefined },
    execute: () => Promise<T>,
  ): Promise<T> {
    const key = keyOf(call, run);
    const inputs = [call.input, ...(output === undefined ? [] : [output])];
    this.#allowed.set(key, { inputs: new Set(inputs.map((input) => digestOf([call.name, input]))), because });
    try {
      return await execute();
    } finally {
      this.#allowed.delete(key);
    }
  }

  readonly allows = (call: ToolCall, run: AllowedRun | undefined): string | undefined => {
    if (run === undefined) return undefined;
    const allowed = this.#allowed.get(keyOf(call, run));
    return allowed?.inputs.has(digestOf([call.name, call.input])) === true ? allowed.because : undefined;
  };
}

function keyOf({ id }: ToolCall, run: AllowedRun): string {
  return JSON.stringify([run.id, id]);
}
