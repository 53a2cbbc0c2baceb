import type { RunInfo, ToolCall, ToolResult } from '@shallot/core';
import type { ChatModel, ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  isTransient,
  option,
  textPart,
  type ModelNext,
  type ModelScope,
  type ToolNext,
  type ToolScope,
} from '@shallot/core/plugin';

import { circuitOpen, noteOpening } from './circuit-open.ts';
import { Circuit } from './circuit.ts';
import { defineLayer } from './layer.ts';

/** Options of the circuit breaker. */
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

/** One circuit for each model at its endpoint and for each tool, for all runs of this process. */
class CircuitBreaker {
  readonly #settings: Required<CircuitBreakerOptions>;
  /** Circuits by tool name, or by model name and endpoint. */
  readonly #named = new Map<string, Circuit>();
  /** The circuits of models without an endpoint. */
  readonly #ofModels = new WeakMap<ChatModel, Circuit>();

  constructor(settings: Required<CircuitBreakerOptions>) {
    this.#settings = settings;
  }

  async askModel(
    request: ModelRequest,
    next: ModelNext,
    { run, signal }: ModelScope,
  ): Promise<ModelResponse> {
    const name = `model ${request.model.id}`;
    const circuit = this.#circuitOfModel(request.model);
    const retryAt = circuit.enter(Date.now());
    if (retryAt !== undefined) throw circuitOpen(name, this.#settings.failures, retryAt);
    try {
      const response = await next(request);
      this.#noteSuccess(circuit, name, run);
      return response;
    } catch (error) {
      // An abort does not mean that the model failed.
      if (signal.aborted) circuit.leave();
      else if (isTransient(error)) this.#noteFailure(circuit, request, name, run);
      else this.#noteSuccess(circuit, name, run);
      throw error;
    }
  }

  async callTool(call: ToolCall, next: ToolNext, { run, signal }: ToolScope): Promise<ToolResult> {
    const name = `tool ${call.name}`;
    const circuit = this.#circuitOf(name);
    const retryAt = circuit.enter(Date.now());
    if (retryAt !== undefined) {
      const error = circuitOpen(name, this.#settings.failures, retryAt);
      return { content: [textPart(error.message)], isError: true, error };
    }
    try {
      const result = await next(call);
      if (signal.aborted || result.denied !== undefined) circuit.leave();
      else if (result.isError === true && isTransient(result.error))
        this.#noteFailure(circuit, call, name, run);
      else this.#noteSuccess(circuit, name, run);
      return result;
    } catch (error) {
      // After an interrupt or an abort, the tool has not failed.
      circuit.leave();
      throw error;
    }
  }

  #circuitOfModel(model: ChatModel): Circuit {
    if (model.endpoint !== undefined) return this.#circuitOf(`model ${model.id} ${model.endpoint}`);
    const circuit = this.#ofModels.get(model) ?? new Circuit(this.#settings);
    this.#ofModels.set(model, circuit);
    return circuit;
  }

  #circuitOf(key: string): Circuit {
    const circuit = this.#named.get(key) ?? new Circuit(this.#settings);
    this.#named.set(key, circuit);
    return circuit;
  }

  /** Notes that a call was answered. A permanent failure counts as an answer, too. */
  #noteSuccess(circuit: Circuit, name: string, run: RunInfo): void {
    if (circuit.note(true, Date.now()) === 'closed') run.warn('CIRCUIT_CLOSED', `The ${name} works again.`);
  }

  #noteFailure(circuit: Circuit, asked: ModelRequest | ToolCall, name: string, run: RunInfo): void {
    const { openMs } = this.#settings;
    if (circuit.note(false, Date.now()) === 'opened')
      run.warn('CIRCUIT_OPENED', `The ${name} keeps failing; it is not called for ${openMs} ms.`);
    if (circuit.isOpen) noteOpening(asked);
  }
}
