import { ShallotError } from '@shallot/core';
import { fitsPattern } from '@shallot/core/plugin';

import type { OnLimit, Settings, ToolLimit } from './options.ts';

/** The maximum of one counter. */
export interface Bound {
  /** The key of the counter in state: the name of an option, or `toolCalls/` and a tool pattern. */
  readonly counter: string;
  readonly scope: 'run' | 'session';
  readonly max: number;
  readonly onLimit: OnLimit | 'result';
  /** Formats an amount with its unit. */
  readonly inWords: (amount: number) => string;
}

/** All bounds of the options. */
export interface Bounds {
  readonly modelCalls: readonly Bound[];
  readonly tokens: readonly Bound[];
  readonly cost: readonly Bound[];
  readonly timeMs: readonly Bound[];
  /** The four lists above together. */
  readonly models: readonly Bound[];
  forTool(tool: string): readonly Bound[];
}

const words = {
  modelCalls: (amount: number) => plural(amount, 'model call'),
  tokens: (amount: number) => plural(amount, 'token'),
  cost: (amount: number) => `${Number(amount.toFixed(6))} US dollars`,
  timeMs: (amount: number) => `${Math.round(amount)} ms`,
  toolCalls: (amount: number) => plural(amount, 'tool call'),
} as const;

/**
 * Returns the bounds of the options. @throws `limits/LIMITS_INVALID` without any limit, and for a cost limit without
 * prices
 */
export function boundsOf(settings: Settings): Bounds {
  const of = (key: 'modelCalls' | 'tokens' | 'cost' | 'timeMs'): Bound[] =>
    boundsFrom(key, settings[key], words[key]);
  const [modelCalls, tokens, cost, timeMs] = [of('modelCalls'), of('tokens'), of('cost'), of('timeMs')];
  const models = [...modelCalls, ...tokens, ...cost, ...timeMs];
  const tools = toolBounds(settings.toolCalls);
  if (models.length + tools.length === 0)
    throw invalid('the options set no limit; set one, for example modelCalls: { run: 50 }');
  if (cost.length > 0 && settings.prices === undefined && settings.unpriced === 'refuse')
    throw invalid(
      'cost needs prices; set the option prices, by model or to genai-prices, or one price in unpriced',
    );
  const known = new Map<string, readonly Bound[]>();
  const forTool = (tool: string): readonly Bound[] => {
    const bounds = known.get(tool) ?? boundsFor(tool, tools);
    // Limits the cache, because models may invent tool names.
    if (known.size < maxKnown) known.set(tool, bounds);
    return bounds;
  };
  return { modelCalls, tokens, cost, timeMs, models, forTool };
}

/** The bounds of the tools that match a pattern. */
interface ToolBounds {
  readonly pattern: string;
  readonly bounds: readonly Bound[];
}

const maxKnown = 1000;

function boundsFor(tool: string, all: readonly ToolBounds[]): readonly Bound[] {
  return all.flatMap(({ pattern, bounds }) => (fitsPattern(pattern, tool) ? bounds : []));
}

/** Returns the bounds for all tools, then those by name or pattern. */
function toolBounds(toolCalls: Settings['toolCalls']): readonly ToolBounds[] {
  if (toolCalls === undefined) return [];
  const { run, session, tools } = toolCalls;
  const byName = Object.entries(tools).map(([pattern, limit]) => ({
    pattern,
    bounds: boundsFrom(`toolCalls/${pattern}`, limit, (amount) => plural(amount, 'call', ` of "${pattern}"`)),
  }));
  if (run === undefined && session === undefined && byName.length > 0) return byName;
  const total = boundsFrom('toolCalls', toolCalls, words.toolCalls);
  return [{ pattern: '*', bounds: total }, ...byName];
}

/** Returns the sentence shown when a limit is reached. */
export function sentence({ scope, max, inWords }: Bound, more: number): string {
  return `The limit of ${inWords(max + more)} for this ${scope} is reached.`;
}

function boundsFrom(counter: string, limit: ToolLimit | undefined, inWords: Bound['inWords']): Bound[] {
  if (limit === undefined) return [];
  const { run, session, onLimit = 'end' } = limit;
  const bound = { counter, onLimit, inWords };
  return [
    ...(run === undefined ? [] : [{ ...bound, scope: 'run' as const, max: run }]),
    ...(session === undefined ? [] : [{ ...bound, scope: 'session' as const, max: session }]),
  ];
}

function plural(amount: number, word: string, rest = ''): string {
  return `${amount} ${word}${amount === 1 ? '' : 's'}${rest}`;
}

function invalid(what: string): ShallotError {
  return new ShallotError('limits/LIMITS_INVALID', { message: `The limits are not valid: ${what}.` });
}
