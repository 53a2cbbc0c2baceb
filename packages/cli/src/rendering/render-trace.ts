import type { Prices, Trace, TraceNode, TracePart } from '@shallot/plugin-telemetry/trace';

import { count } from '../terminal/count.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Paint } from '../terminal/screen.ts';
import { describeActivity } from './describe-activity.ts';

export interface TraceRendering {
  readonly paint: Paint;
  /** Also shows layers that changed nothing. */
  readonly all?: boolean;
  /** Prices for model calls whose cost is not in the file. */
  readonly prices?: Prices | undefined;
}

/** Renders a trace as a tree, one line per activity, with notes about missing parts at the end. */
export function renderTrace({ parts, damagedLines, cutOff }: Trace, rendering: TraceRendering): string {
  const lost = parts.reduce((sum, part) => sum + part.lostLines, 0);
  const missing = [
    lost > 0 && `${count(lost, 'line')} could not be written`,
    damagedLines.length > 0 &&
      `${count(damagedLines.length, 'line')} cannot be read; the first is line ${damagedLines[0]}`,
    cutOff && 'the last line is incomplete',
  ].filter((what) => what !== false);
  return [
    ...parts.map((part) => renderPart(part, rendering)),
    ...missing.map((what) => `${rendering.paint.yellow('incomplete:')} ${what}`),
  ].join('\n');
}

function renderPart(
  { header, roots, lastAt }: TracePart,
  { paint, all = false, prices }: TraceRendering,
): string {
  const text: string[] = [];
  const add = (node: TraceNode, before: string, behind: string): void => {
    const { children } = node;
    const [line = '', ...more] = describeActivity(node, { paint, lastAt, cost: costOf(node, prices) });
    text.push(paint.dim(before) + line);
    for (const each of more) text.push(paint.dim(`${behind}${children.length > 0 ? '│ ' : '  '}`) + each);
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1;
      add(child, `${behind}${isLast ? '└─ ' : '├─ '}`, `${behind}${isLast ? '   ' : '│  '}`);
    }
  };
  for (const root of all ? roots : roots.flatMap(withoutIdleLayers)) add(root, '', '');
  const { agent, sessionId, runId, resumed } = header;
  const when = new Date(header.at);
  const time = Number.isNaN(when.getTime()) ? '' : when.toISOString();
  const who = oneLine(
    `${resumed ? 'resumed: ' : ''}${agent} · session ${sessionId} · ${runId} · ${time}`,
    300,
  );
  return [paint.dim(who), ...text].join('\n');
}

/** Replaces each layer that changed nothing and did not fail with its children. */
function withoutIdleLayers(node: TraceNode): TraceNode[] {
  const children = node.children.flatMap(withoutIdleLayers);
  const { start, end } = node;
  const isIdle =
    start.kind === 'layer' && end !== undefined && end.changes === undefined && end.error === undefined;
  return isIdle ? children : [{ ...node, children }];
}

/** Returns the cost of a model call, or of all calls in an activity, as far as it is known; undefined if none is. */
function costOf({ start, end, children }: TraceNode, prices: Prices | undefined): number | undefined {
  if (start.kind === 'model') {
    if (typeof end?.cost === 'number') return end.cost;
    return end?.usage === undefined ? undefined : prices?.(String(start.model), end.usage);
  }
  const costs = children.map((child) => costOf(child, prices)).filter((cost) => cost !== undefined);
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}
