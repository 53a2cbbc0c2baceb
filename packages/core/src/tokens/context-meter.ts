import { isObject } from '../base/is-object.ts';
import type { Message } from '../contract/messages.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { PluginSetup } from '../contract/plugin.ts';
import type { RunInfo } from '../contract/run-info.ts';
import type { Usage } from '../contract/usage.ts';
import { refusalFigures, type RefusalFigures } from './refusal-figures.ts';

/** Measures the size of requests in tokens: the provider's last report plus an estimate of the messages since. */
export interface ContextMeter {
  /**
   * Returns the tokens of a request in `beforeModel`: instructions, tools and messages. Counts only the messages since
   * the last answer, unless the history before it has changed.
   */
  readonly measure: (request: ModelRequest, run: RunInfo) => number;
  /**
   * Does the counting of `measure` in slices that let other work run in between. Undefined if that takes no time. Await
   * it before `measure`, so that the first turn of a long stored session does not block the process.
   */
  readonly prepare: (request: ModelRequest, run: RunInfo) => Promise<void> | undefined;
  /** Measures a request whose history differs from that of the last answer. Counts every message. */
  readonly remeasure: (request: ModelRequest, run: RunInfo) => number;
  /**
   * Learns from the figures in a model's refusal of a request that is too long, if there are plausible ones, and
   * returns them. Call it before `remeasure`.
   */
  readonly refused: (request: ModelRequest, run: RunInfo, error: unknown) => RefusalFigures | undefined;
  /** Returns true once a model has reported a size; until then all sizes are estimates. */
  readonly isReported: (run: RunInfo) => boolean;
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
  const kept = state<Measured>({ key: 'context-meter', initial });
  const measured: Pick<typeof kept, 'get' | 'set' | 'update'> = {
    get: (run) => sound(kept.get(run)),
    set: kept.set,
    update: (run, change) => kept.update(run, (value) => change(sound(value))),
  };
  const current = new WeakMap<RunInfo, Step>();

  const measure: ContextMeter['measure'] = (request, run) => {
    const { seen } = measured.get(run);
    const added = addedSince(seen, request);
    if (seen === null || added === undefined) return remeasure(request, run);
    const overhead = tokens.overhead(request);
    const grown = tokens.messages(added) + overhead - seen.overhead;
    const total = Math.round(seen.tokens + grown * scale(run));
    current.set(run, { request, estimate: seen.estimate + grown, overhead, total, expected: seen.inner });
    return total;
  };

  const prepare: ContextMeter['prepare'] = (request, run) =>
    tokens.prepare(addedSince(measured.get(run).seen, request) ?? request.messages);

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

  const refused: ContextMeter['refused'] = (request, run, error) => {
    const estimate = tokens.messages(request.messages) + tokens.overhead(request);
    const figures = plausibleFigures(error, estimate);
    if (figures === undefined) return undefined;
    const now = { tokens: figures.tokens, estimate };
    measured.update(run, ({ seen }) => ({ seen, reported: now, growth: now }));
    return figures;
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
    const answer = { id: message.id, tokens: tokens.message(message), usage, scale: scale(run) };
    measured.update(run, (before) => measuredAfter(before, step, answer));
  });

  return Object.freeze({
    measure,
    prepare,
    remeasure,
    refused,
    isReported: (run: RunInfo) => measured.get(run).reported !== null,
    scale,
  });
}

function initial(): Measured {
  return { seen: null, reported: null, growth: { tokens: 0, estimate: 0 } };
}

/** A limit that no context reaches: larger numbers are damaged. */
const mostTokens = 100_000_000;

/** Returns the numbers that are kept with the session. If they are damaged, everything is counted again. */
function sound(value: unknown): Measured {
  const { seen = null, reported = null, growth } = isObject(value) ? value : {};
  if (!areCounts(growth, 'tokens', 'estimate')) return initial();
  if (reported !== null && !areCounts(reported, 'tokens', 'estimate')) return initial();
  if (seen !== null && !isSeen(seen)) return initial();
  // Each member was checked.
  return value as Measured;
}

function isSeen(value: unknown): boolean {
  if (!areCounts(value, 'tokens', 'estimate', 'overhead') || !isObject(value)) return false;
  const { last, inner } = value;
  return (last === null || typeof last === 'string') && isBelow(inner, mostTokens);
}

function areCounts(value: unknown, ...keys: readonly string[]): boolean {
  return isObject(value) && keys.every((key) => isBelow(value[key], mostTokens) && Number(value[key]) >= 0);
}

function isBelow(value: unknown, most: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= most;
}

interface Answer {
  readonly id: string;
  readonly tokens: number;
  readonly usage: Usage | undefined;
  readonly scale: number;
}

function measuredAfter(
  before: Measured,
  { estimate, overhead, total, expected, inner = expected }: Step,
  answer: Answer,
): Measured {
  // Some models report no usage, or zero.
  const known = answer.usage?.input === 0 ? undefined : answer.usage;
  const sent = total + (inner - expected + answer.tokens) * answer.scale;
  return {
    ...learned(before, estimate, known),
    seen: {
      last: answer.id,
      tokens: known === undefined ? Math.round(sent) : known.input + known.output,
      estimate: estimate + answer.tokens,
      overhead,
      inner,
    },
  };
}

/** Returns the messages since the last answer; undefined if the history before them has changed. */
function addedSince(seen: Seen | null, { messages }: ModelRequest): readonly Message[] | undefined {
  const last = seen?.last ?? null;
  const index = last === null ? -1 : messages.findLastIndex(({ id }) => id === last);
  return index === -1 ? undefined : messages.slice(index + 1);
}

/** Returns the figures of a refusal, unless no tokenizer could explain them, so that they must be about something else. */
function plausibleFigures(error: unknown, estimate: number): RefusalFigures | undefined {
  const figures = refusalFigures(error);
  if (figures === undefined) return undefined;
  const factor = figures.tokens / estimate;
  return factor >= scales.min && factor <= scales.max ? figures : undefined;
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
