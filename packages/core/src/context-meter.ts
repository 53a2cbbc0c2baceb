import type { ModelRequest, Usage } from './model.ts';
import type { PluginSetup } from './plugin.ts';
import type { RunInfo } from './run-info.ts';

/** Tells how much of a model's context requests take: what the provider reported, and an estimate of what came since. */
export interface ContextMeter {
  /**
   * The tokens of a request, in `beforeModel`: instructions, tools and messages. Costs what the messages cost that came
   * since the last answer, whatever there was before.
   */
  readonly measure: (request: ModelRequest, run: RunInfo) => number;
  /** The same for a request whose history is not the one of the last answer: every message is looked at. */
  readonly remeasure: (request: ModelRequest, run: RunInfo) => number;
  /** What estimates have to be multiplied by to fit what the model reports. 1 as long as that is not known. */
  readonly scale: (run: RunInfo) => number;
}

/** What is known of the history up to the last answer. */
interface Seen {
  /** The id of the answer. */
  readonly last: string;
  /** What is sent with the next request of all up to and with the answer, and of what stands beside the messages. */
  readonly tokens: number;
  /** The same, by estimate alone. */
  readonly estimate: number;
  /** The estimate of what stands beside the messages. */
  readonly overhead: number;
}

interface Measured {
  readonly seen: Seen | null;
  /** The last request that a model has reported the size of. */
  readonly reported: { readonly tokens: number; readonly estimate: number } | null;
  /** By how much requests have grown from one report to the next, with more weight on the recent ones. */
  readonly growth: { readonly tokens: number; readonly estimate: number };
}

/** Growth that is too small to say anything about the estimate, in tokens. */
const minGrowth = 200;
/** Growth beyond this is forgotten by halves. */
const memory = 20_000;
/** No tokenizer is further from the estimate than this; what is was caused by something else. */
const scales = { min: 0.5, max: 3 };

/**
 * A meter of a plugin's own. Call it in `setup`: it taps `afterModel`, and keeps a few numbers with the session.
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
  /** The request of the step that is under way. */
  const current = new WeakMap<RunInfo, { estimate: number; overhead: number; total: number }>();

  const measure: ContextMeter['measure'] = (request, run) => {
    const { seen } = measured.get(run);
    const { messages } = request;
    const index = seen === null ? -1 : messages.findLastIndex(({ id }) => id === seen.last);
    if (seen === null || index === -1) return remeasure(request, run);
    const overhead = tokens.overhead(request);
    const added = tokens.messages(messages.slice(index + 1)) + overhead - seen.overhead;
    const total = Math.round(seen.tokens + added * scale(run));
    current.set(run, { estimate: seen.estimate + added, overhead, total });
    return total;
  };

  const remeasure: ContextMeter['remeasure'] = (request, run) => {
    const overhead = tokens.overhead(request);
    const estimate = tokens.messages(request.messages) + overhead;
    const total = Math.round(estimate * scale(run) + unseen(run));
    current.set(run, { estimate, overhead, total });
    return total;
  };

  const scale: ContextMeter['scale'] = (run) => {
    const { growth } = measured.get(run);
    if (growth.estimate < minGrowth) return 1;
    return Math.min(scales.max, Math.max(scales.min, growth.tokens / growth.estimate));
  };

  /** What layers further in add to each request, a memory file for instance: the meter never sees it but in reports. */
  const unseen = (run: RunInfo): number => {
    const { reported } = measured.get(run);
    return reported === null ? 0 : Math.max(0, reported.tokens - reported.estimate * scale(run));
  };

  hooks.afterModel.tap('measure', function learn({ message, usage }, run) {
    const request = current.get(run);
    if (request === undefined) return;
    const before = measured.get(run);
    const answer = tokens.message(message);
    // Some models report nothing, or zero for what they do not know.
    const known = usage === undefined || usage.input === 0 ? undefined : usage;
    measured.set(run, {
      ...learned(before, request.estimate, known),
      seen: {
        last: message.id,
        tokens:
          known === undefined ? Math.round(request.total + answer * scale(run)) : known.input + known.output,
        estimate: request.estimate + answer,
        overhead: request.overhead,
      },
    });
  });

  return Object.freeze({ measure, remeasure, scale });
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
