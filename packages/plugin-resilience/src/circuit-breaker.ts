import { ShallotError, type RunInfo, type ToolCall, type ToolResult } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  isTransient,
  option,
  textPart,
  type ModelNext,
  type ModelScope,
  type ToolNext,
  type ToolScope,
} from '@shallot/core/plugin';

import { Circuit } from './circuit.ts';
import { defineLayer } from './layer.ts';

export interface CircuitBreakerOptions {
  /** Consecutive transient failures that open the circuit of a model or a tool. Default: 5. */
  readonly failures?: number;
  /** Milliseconds that a circuit stays open before one call is tried. Default: 30,000. */
  readonly openMs?: number;
}

export const circuitBreakerLayer = defineLayer({
  name: 'circuit-breaker',
  priority: 34,
  shape: {
    failures: option
      .integer({ min: 1 })
      .default(5)
      .describe('Consecutive transient failures that open a circuit.'),
    openMs: option
      .number({ above: 0, max: 3_600_000 })
      .default(30_000)
      .describe('Milliseconds that a circuit stays open before one call is tried.'),
  },
  add({ hooks }, settings, tap) {
    const breaker = new CircuitBreaker(settings);
    hooks.wrapModelCall.tapPromise({ ...tap, internal: true }, (request, next, scope) =>
      breaker.askModel(request, next, scope),
    );
    hooks.wrapToolCall.tapPromise(tap, (call, next, scope) => breaker.callTool(call, next, scope));
  },
});

/** One circuit for each model and each tool, for all runs of this process. */
class CircuitBreaker {
  readonly #settings: Required<CircuitBreakerOptions>;
  readonly #circuits = new Map<string, Circuit>();

  constructor(settings: Required<CircuitBreakerOptions>) {
    this.#settings = settings;
  }

  async askModel(
    request: ModelRequest,
    next: ModelNext,
    { run, signal }: ModelScope,
  ): Promise<ModelResponse> {
    const name = `model ${request.model.id}`;
    const circuit = this.#circuit(name);
    const open = this.#refusal(circuit, name);
    if (open !== undefined) throw open;
    try {
      const response = await next(request);
      this.#note(circuit, true, name, run);
      return response;
    } catch (error) {
      // An abort says nothing about the model.
      if (signal.aborted) circuit.leave();
      else this.#note(circuit, !isTransient(error), name, run);
      throw error;
    }
  }

  async callTool(call: ToolCall, next: ToolNext, { run, signal }: ToolScope): Promise<ToolResult> {
    const name = `tool ${call.name}`;
    const circuit = this.#circuit(name);
    const open = this.#refusal(circuit, name);
    if (open !== undefined) return { content: [textPart(open.message)], isError: true, error: open };
    try {
      const result = await next(call);
      if (signal.aborted || result.denied !== undefined) circuit.leave();
      else this.#note(circuit, result.isError !== true || !isTransient(result.error), name, run);
      return result;
    } catch (error) {
      // An interrupt or an abort: the tool has not failed.
      circuit.leave();
      throw error;
    }
  }

  #circuit(name: string): Circuit {
    let circuit = this.#circuits.get(name);
    if (circuit === undefined) this.#circuits.set(name, (circuit = new Circuit(this.#settings)));
    return circuit;
  }

  #refusal(circuit: Circuit, name: string): ShallotError | undefined {
    const retryAt = circuit.enter(Date.now());
    if (retryAt === undefined) return undefined;
    return new ShallotError('resilience/CIRCUIT_OPEN', {
      message: `The ${name} has failed ${this.#settings.failures} times in a row and is not called until ${new Date(retryAt).toISOString()}.`,
      transient: true,
      retryAt,
    });
  }

  #note(circuit: Circuit, isWell: boolean, name: string, run: RunInfo): void {
    const change = circuit.note(isWell, Date.now());
    if (change === 'opened')
      run.warn(
        'CIRCUIT_OPENED',
        `The ${name} keeps failing; it is not called for ${this.#settings.openMs} ms.`,
      );
    if (change === 'closed') run.warn('CIRCUIT_CLOSED', `The ${name} works again.`);
  }
}
