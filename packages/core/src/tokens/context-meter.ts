import type { Message } from '../contract/messages.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { PluginSetup } from '../contract/plugin.ts';
import type { RunInfo } from '../contract/run-info.ts';
import type { Usage } from '../contract/usage.ts';

/** Measures the size of requests in tokens: the provider's last report plus an estimate of the messages since. */
export interface ContextMeter {
  /**
   * Returns the tokens of a request in `beforeModel`: instructions, tools and messages. The cost depends only on the
   * messages since the last answer.
   */
  readonly measure: (request: ModelRequest, run: RunInfo) => number;
  /** Measures a request whose history differs from that of the last answer. Counts every message. */
  readonly remeasure: (request: ModelRequest, run: RunInfo) => number;
  /** Returns the factor from estimates to the tokens that the model reports; 1 until that is known. */
  readonly scale: (run: RunInfo) => number;
}

/** The size of the history up to the last answer. */
interface Seen {
  /** The id of the answer; null if the history before it has changed since, so that these numbers no longer apply. */
  readonly last: string | null;
  /**
   * The tokens that the next request will send for the history up to the answer and for everything else in a request.
   */
  readonly tokens: number;
  /** The estimate of the same tokens. */
  readonly estimate: number;
  /** The estimated tokens of everything in a request but messages. */
  readonly overhead: number;
  /** The estimated tokens that inner layers had added; part of `tokens`. */
  readonly inner: number;
}

/** The request of the current step. */
interface Step {
  readonly request: ModelRequest;
  readonly estimate: number;
  readonly overhead: number;
  readonly total: number;
  /** The estimated tokens that inner layers will add: as many as last time. */
  readonly expected: number;
  /** The estimated tokens that inner layers added; set once the request has passed them. */
  inner?: number;
}

interface Measured {
  readonly seen: Seen | null;
  /** The last size that a model reported, with its estimate. */
  readonly reported: { readonly tokens: number; readonly estimate: number } | null;
  /** The growth between reports, with more weight on recent ones. */
  readonly growth: { readonly tokens: number; readonly estimate: number };
}

/** Growth below this says nothing about the accuracy of the estimate, in tokens. */
const minGrowth = 200;
/** Growth beyond this is halved, so that old reports lose weight, in tokens. */
const memory = 20_000;
/** The limits for the factor: no tokenizer differs more from the estimate, so a larger difference has other causes. */
const scales = { min: 0.5, max: 3 };

/**
 * Creates a meter for one plugin. Call it in `setup`. The meter taps `afterModel` and, innermost, `wrapModelCall`,
 * where it sees the request as other layers changed it. It keeps a few numbers with the session.
 */
export function contextMeter({
  hooks,
  state,
  tokens,
}: Pick<PluginSetup, 'hooks' | 'state' | 'tokens'>): ContextMeter {
  const measured = state<Measured>({
    key: 'context-meter',
    initial: () => ({ seen: null, reported: null, growth: { tokens: 0, estimate: 0 } }),
  });
  const current = new WeakMap<RunInfo, Step>();

  const measure: ContextMeter['measure'] = (request, run) => {
    const { seen } = measured.get(run);
    const { messages } = request;
    const last = seen?.last ?? null;
    const index = last === null ? -1 : messages.findLastIndex(({ id }) => id === last);
    if (seen === null || index === -1) return remeasure(request, run);
    const overhead = tokens.overhead(request);
    const added = tokens.messages(messages.slice(index + 1)) + overhead - seen.overhead;
    const total = Math.round(seen.tokens + added * scale(run));
    current.set(run, { request, estimate: seen.estimate + added, overhead, total, expected: seen.inner });
    return total;
  };

  const remeasure: ContextMeter['remeasure'] = (request, run) => {
    const { seen, ...rest } = measured.get(run);
    // The changed history may be committed without a new answer, if the model fails or the process dies.
    if (seen !== null && seen.last !== null) measured.set(run, { ...rest, seen: { ...seen, last: null } });
    const overhead = tokens.overhead(request);
    const estimate = tokens.messages(request.messages) + overhead;
    const expected = Math.max(0, seen?.inner ?? 0);
    const total = Math.round(estimate * scale(run) + unseen(run, expected));
    current.set(run, { request, estimate, overhead, total, expected });
    return total;
  };

  const scale: ContextMeter['scale'] = (run) => {
    const { growth } = measured.get(run);
    if (growth.estimate < minGrowth) return 1;
    return Math.min(scales.max, Math.max(scales.min, growth.tokens / growth.estimate));
  };

  /** Returns the tokens that inner layers add to each request, for example a memory file: as reported, else estimated. */
  const unseen = (run: RunInfo, expected: number): number => {
    const { reported } = measured.get(run);
    if (reported === null) return expected * scale(run);
    return Math.max(0, reported.tokens - reported.estimate * scale(run));
  };

  hooks.wrapModelCall.tap({ name: 'measure', priority: 0 }, function look(request, next, { run }) {
    const step = current.get(run);
    if (step !== undefined) {
      const { messages } = step.request;
      const from = firstDifference(messages, request.messages);
      const added = tokens.messages(request.messages.slice(from)) - tokens.messages(messages.slice(from));
      step.inner = added + tokens.overhead(request) - step.overhead;
    }
    return next(request);
  });

  hooks.afterModel.tap('measure', function learn({ message, usage }, run) {
    const step = current.get(run);
    if (step === undefined) return;
    const { estimate, overhead, total, expected, inner = expected } = step;
    const before = measured.get(run);
    const answer = tokens.message(message);
    // Some models report no usage, or zero.
    const known = usage === undefined || usage.input === 0 ? undefined : usage;
    measured.set(run, {
      ...learned(before, estimate, known),
      seen: {
        last: message.id,
        tokens:
          known === undefined
            ? Math.round(total + (inner - expected + answer) * scale(run))
            : known.input + known.output,
        estimate: estimate + answer,
        overhead,
        inner,
      },
    });
  });

  return Object.freeze({ measure, remeasure, scale });
}

/** Returns the index of the first message that differs, or the length of `one`. */
function firstDifference(one: readonly Message[], other: readonly Message[]): number {
  const index = one === other ? -1 : one.findIndex((message, at) => message !== other[at]);
  return index === -1 ? one.length : index;
}

function learned(
  { reported, growth }: Measured,
  estimate: number,
  usage: Usage | undefined,
): Pick<Measured, 'reported' | 'growth'> {
  if (usage === undefined) return { reported, growth };
  const now = { tokens: usage.input, estimate };
  if (reported === null || estimate - reported.estimate < minGrowth) return { reported: now, growth };
  const faded = growth.estimate > memory ? 0.5 : 1;
  return {
    reported: now,
    growth: {
      tokens: growth.tokens * faded + Math.max(0, usage.input - reported.tokens),
      estimate: growth.estimate * faded + estimate - reported.estimate,
    },
  };
}
