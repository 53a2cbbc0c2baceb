import { ShallotError, type RunInfo, type ToolCall, type ToolResult } from '@shallot/core';
import type { ModelRequest, ModelResponse, ModelResponseInput } from '@shallot/core/model';
import {
  costOf,
  textPart,
  type ModelNext,
  type Prices,
  type Run,
  type ToolNext,
  type ToolScope,
  type WrapRun,
} from '@shallot/core/plugin';

import { sentence, type Bound, type Bounds } from './bounds.ts';
import type { Counters } from './counters.ts';
import { boundOf, limitReached } from './limit-reached.ts';
import { RunClock } from './run-clock.ts';

interface KeeperParts {
  /** The plugin's. */
  readonly id: string;
  readonly bounds: Bounds;
  readonly counters: Counters;
  readonly prices: Prices | undefined;
}

/** Whom a person is asked through: a run between its steps, or the scope of a tool call. */
type Asker = Pick<Run | ToolScope, 'interrupt' | 'once'>;

const noTokens = { input: 0, output: 0, total: 0 };

/** Lets steps and calls in as long as all bounds leave room, and counts them. */
export class LimitKeeper {
  readonly clock = new RunClock();
  readonly #parts: KeeperParts;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  get keepsModels(): boolean {
    return this.#parts.bounds.models.length > 0;
  }

  get keepsTime(): boolean {
    return this.#parts.bounds.timeMs.length > 0;
  }

  countTime(run: RunInfo): void {
    const { bounds, counters } = this.#parts;
    if (this.keepsTime) counters.add(run, bounds.timeMs, this.clock.elapsed(run));
  }

  /** @throws `limits/PRICE_UNKNOWN` when cost is limited and a model's is not known */
  checkPrice(model: string): void {
    const { bounds, prices } = this.#parts;
    if (bounds.cost.length === 0) return;
    if (prices !== undefined && costOf(prices, model, noTokens) !== undefined) return;
    throw new ShallotError('limits/PRICE_UNKNOWN', {
      message: `The model ${model} has no price, so its cost cannot be limited. Add it to the option prices, or remove the limit of cost.`,
    });
  }

  /** Before a step: the place where a run can still end well, and a person can be asked. */
  enterStep(run: Run): Promise<void> | undefined {
    const bound = this.#firstReached(run, this.#parts.bounds.models);
    return bound && this.#refuseStep(bound, run);
  }

  /** Before each model call that is sent, a plugin's own included. @throws `LIMIT_REACHED`, `limits/PRICE_UNKNOWN` */
  async enterModelCall(request: ModelRequest, next: ModelNext, run: RunInfo): Promise<ModelResponse> {
    const { bounds, counters, prices } = this.#parts;
    this.checkPrice(request.model.id);
    const bound = this.#firstReached(run, bounds.models);
    if (bound !== undefined) throw limitReached(this.#say(run, bound), bound);
    counters.add(run, bounds.modelCalls, 1);
    const response = await next(request);
    const { usage } = response;
    if (usage === undefined) return response;
    counters.add(run, bounds.tokens, usage.total);
    const cost = prices && costOf(prices, request.model.id, usage);
    if (cost !== undefined) counters.add(run, bounds.cost, cost);
    return response;
  }

  /** A retry that comes to a bound ends the run like a step that does. */
  endAtLimit(answering: Promise<ModelResponse>, run: WrapRun): Promise<ModelResponseInput> {
    return answering.catch((error: unknown): ModelResponseInput => {
      const bound = boundOf(error);
      if (bound?.onLimit !== 'end') throw error;
      run.end(undefined, { reason: 'limit' });
      return { message: { role: 'assistant', content: this.#say(run, bound) } };
    });
  }

  enterToolCall(call: ToolCall, next: ToolNext, scope: ToolScope): Promise<ToolResult> {
    const { bounds, counters } = this.#parts;
    const { run } = scope;
    const counted = bounds.forTool(call.name);
    if (counted.length > 0 && counters.hasCounted(run, call.id)) return next(call);
    const bound = this.#firstReached(run, bounds.timeMs) ?? counters.firstReached(run, counted);
    if (bound !== undefined) return this.#refuseCall(bound, call, next, scope);
    if (counted.length > 0) counters.addCall(run, call.id, counted);
    return next(call);
  }

  async #refuseStep(bound: Bound, run: Run): Promise<void> {
    const message = this.#say(run, bound);
    if (bound.onLimit === 'throw') throw limitReached(message, bound);
    if (bound.onLimit === 'ask' && (await this.#askForMore(bound, run, run))) return this.enterStep(run);
    run.end(message, { reason: 'limit' });
  }

  async #refuseCall(bound: Bound, call: ToolCall, next: ToolNext, scope: ToolScope): Promise<ToolResult> {
    const message = this.#say(scope.run, bound);
    if (bound.onLimit === 'throw') throw limitReached(message, bound);
    if (bound.onLimit === 'ask' && (await this.#askForMore(bound, scope.run, scope)))
      return this.enterToolCall(call, next, scope);
    if (bound.onLimit === 'end') scope.run.end(message, { reason: 'limit' });
    return {
      content: [textPart(`${message} The call was not executed; go on without it.`)],
      isError: true,
      denied: { by: this.#parts.id, reason: message },
    };
  }

  /** Whether a person grants more. */
  async #askForMore(bound: Bound, run: RunInfo, asker: Asker): Promise<boolean> {
    const { counters } = this.#parts;
    const { counter, scope } = bound;
    const max = bound.max + counters.granted(run, bound);
    const payload = {
      message: this.#say(run, bound),
      limit: counter,
      scope,
      used: counters.used(run, bound),
      max,
    };
    const more = await asker.once(`more:${counter}:${scope}:${max}`, async () => {
      const answer = await asker.interrupt({
        kind: 'limit',
        payload,
        answer: { type: 'number', minimum: 0 },
      });
      // In here: it counts once, however often this place is entered again.
      counters.grant(run, bound, Number(answer));
      return Number(answer);
    });
    return more > 0;
  }

  #firstReached(run: RunInfo, bounds: readonly Bound[]): Bound | undefined {
    this.countTime(run);
    return this.#parts.counters.firstReached(run, bounds);
  }

  #say(run: RunInfo, bound: Bound): string {
    return sentence(bound, this.#parts.counters.granted(run, bound));
  }
}
