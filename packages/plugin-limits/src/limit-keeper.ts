import { isShallotError, ShallotError, type RunInfo, type ToolCall, type ToolResult } from '@shallot/core';
import {
  responseFacts,
  type ModelRequest,
  type ModelResponse,
  type ModelResponseInput,
  type ResponseFacts,
  type Usage,
} from '@shallot/core/model';
import {
  costOf,
  textPart,
  type ModelNext,
  type ModelScope,
  type PluginSetup,
  type Prices,
  type Run,
  type ToolNext,
  type ToolScope,
} from '@shallot/core/plugin';

import { sentence, type Bound, type Bounds } from './bounds.ts';
import type { Counters } from './counters.ts';
import { boundOf, limitReached } from './limit-reached.ts';
import { RunClock } from './run-clock.ts';

interface KeeperParts {
  /** The id of the plugin. */
  readonly id: string;
  readonly bounds: Bounds;
  readonly counters: Counters;
  readonly prices: Prices;
  readonly tokens: PluginSetup['tokens'];
  readonly warnAt: number | false;
}

/** The object through which a person is asked: a run between steps, or the scope of a tool call. */
type Asker = Pick<Run | ToolScope, 'interrupt' | 'once'>;

const noTokens = { input: 0, output: 0, total: 0 };

/** Error codes of model calls that failed after the model had started to work. */
const brokenOff: ReadonlySet<string> = new Set([
  'MODEL_STREAM_BROKEN',
  'MODEL_IDLE',
  'resilience/MODEL_TIMEOUT',
]);

/** Returns the reported usage; undefined if there is none, or if it is zero, as some models report unknown usage. */
function usageOf({ usage }: ModelResponse): Usage | undefined {
  return usage !== undefined && usage.total > 0 ? usage : undefined;
}

/** Checks and counts steps and calls against the bounds. */
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

  /** Returns the milliseconds that are left to a run. */
  timeLeft(run: RunInfo): number {
    this.countTime(run);
    return this.#parts.counters.left(run, this.#parts.bounds.timeMs);
  }

  /**
   * Checks that the cost of a model can be limited. @throws `limits/PRICE_UNKNOWN` if cost is limited and the model
   * has no price
   */
  checkPrice(model: string): void {
    const { bounds, prices } = this.#parts;
    if (bounds.cost.length === 0) return;
    if (costOf(prices, model, noTokens) !== undefined) return;
    throw new ShallotError('limits/PRICE_UNKNOWN', {
      message: `The model ${model} has no price, so its cost cannot be limited. Add it to the option prices, set a price for all such models in unpriced, or remove the limit of cost.`,
    });
  }

  /** Checks the bounds before a step, where a run can end cleanly and a person can be asked. @throws `LIMIT_REACHED` */
  enterStep(run: Run): Promise<void> | undefined {
    const bound = this.#firstReached(run, this.#parts.bounds.models);
    return bound && this.#refuseStep(bound, run);
  }

  /**
   * Checks and counts a model call that is about to be sent, including those of plugins. @throws `LIMIT_REACHED`,
   * `limits/PRICE_UNKNOWN`
   */
  async enterModelCall(request: ModelRequest, next: ModelNext, run: RunInfo): Promise<ModelResponse> {
    const { bounds, counters } = this.#parts;
    this.checkPrice(request.model.id);
    const bound = this.#firstReached(run, bounds.models);
    if (bound !== undefined) throw limitReached(this.#say(run, bound), bound);
    counters.add(run, bounds.modelCalls, 1);
    const isSized = bounds.tokens.length + bounds.cost.length > 0;
    try {
      const response = await next(request);
      this.#tellRateLimits(request.model.id, response, run);
      if (!isSized) return response;
      const usage = usageOf(response) ?? (await this.#estimate(request, response, run));
      this.#addUsage(request, usage, run, responseFacts(response.metadata));
      return response;
    } catch (error) {
      // The provider processed the input but reported no usage.
      if (isSized && isShallotError(error) && brokenOff.has(error.code))
        this.#addUsage(request, await this.#estimateInput(request), run);
      throw error;
    }
  }

  /** Warns when little is left of a rate limit of the provider, before it refuses calls. */
  #tellRateLimits(model: string, { metadata }: ModelResponse, run: RunInfo): void {
    const { counters, warnAt } = this.#parts;
    if (warnAt === false) return;
    for (const [of, known] of Object.entries(responseFacts(metadata)?.rateLimits ?? {})) {
      const { limit = 0, remaining = limit, resetsAt } = known;
      if (limit <= 0 || remaining > limit * (1 - warnAt)) continue;
      const when = resetsAt === undefined ? '' : `, until ${new Date(resetsAt).toISOString()}`;
      const what = of.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      counters.tellOnce(
        run,
        'RATE_LIMIT_NEAR',
        `The provider of ${model} has ${remaining} of ${limit} ${what} left for this account${when}. Calls beyond that are refused.`,
      );
    }
  }

  #addUsage({ model }: ModelRequest, usage: Usage, run: RunInfo, facts?: ResponseFacts): void {
    const { bounds, counters, prices } = this.#parts;
    counters.add(run, bounds.tokens, usage.total);
    if (bounds.cost.length === 0) return;
    const cost = costOf(prices, model.id, usage, facts);
    if (cost !== undefined) return counters.add(run, bounds.cost, cost);
    // The model had a price before the call, so the price source fails for this usage.
    const message = `The cost of a call of ${model.id} could not be calculated, so it is not counted. Check the option prices.`;
    counters.tellOnce(run, 'COST_UNKNOWN', message);
  }

  async #estimate(request: ModelRequest, { message }: ModelResponse, run: RunInfo): Promise<Usage> {
    const { counters, tokens } = this.#parts;
    counters.tellOnce(
      run,
      'USAGE_ESTIMATED',
      `The model ${request.model.id} reports no token usage, so its calls are counted by an estimate.`,
    );
    const { input } = await this.#estimateInput(request);
    const output = tokens.message({ id: '', ...message });
    return { input, output, total: input + output };
  }

  async #estimateInput(request: ModelRequest): Promise<Usage> {
    const { tokens } = this.#parts;
    await tokens.prepare(request.messages);
    const input = tokens.messages(request.messages) + tokens.overhead(request);
    return { input, output: 0, total: input };
  }

  /** Ends the run if a retry reaches a bound that ends runs, as a step that reaches one would. */
  endAtLimit(answering: Promise<ModelResponse>, run: ModelScope['run']): Promise<ModelResponseInput> {
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

  /** Asks a person for a higher limit. Returns true if it is granted. */
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
      // Inside `once`, so that the grant counts once even if this place is entered again.
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
