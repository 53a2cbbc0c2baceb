import type { RunUsage, Usage } from '@shallot/core/model';

import { count } from '../terminal/count.ts';
import { costOf } from '../terminal/dollars.ts';

/**
 * Returns the usage of a session as lines: in total, then by plugins for themselves. Without any, returns a sentence about
 * it.
 */
export function usageLines(usage: RunUsage | undefined): readonly string[] {
  if (usage === undefined || usage.modelCalls === 0) return ['No model call has finished in this session.'];
  const { modelCalls, plugins = {}, unreported = 0 } = usage;
  const without = unreported === 0 ? '' : ` (${unreported} without reported tokens)`;
  const calls = `${count(modelCalls, 'model call')}${usage.total === 0 ? '' : without}`;
  if (usage.total === 0) return [`${calls}; the model does not report its token usage.`];
  const cost = costOf(usage);
  return [
    `${tokens(usage)}, ${calls}${cost === undefined ? '' : `, ${cost}`}`,
    ...Object.entries(plugins).map(([plugin, own]) => `  of which ${plugin}: ${tokens(own)}`),
  ];
}

function tokens({ input, output, total, cacheRead, cacheWrite, reasoning }: Usage): string {
  const inParts = [part(cacheRead, 'from the cache'), part(cacheWrite, 'into the cache')].filter(Boolean);
  const outParts = [part(reasoning, 'reasoning')].filter(Boolean);
  return `${number(total)} tokens: ${number(input)} in${inBrackets(inParts)}, ${number(output)} out${inBrackets(outParts)}`;
}

function part(amount: number | undefined, what: string): string {
  return amount === undefined || amount === 0 ? '' : `${number(amount)} ${what}`;
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function number(amount: number): string {
  return amount.toLocaleString('en');
}
