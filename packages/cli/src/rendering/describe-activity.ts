import type { TraceNode } from '@shallot/plugin-telemetry/trace';

import { count } from '../terminal/count.ts';
import { dollars } from '../terminal/dollars.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Paint } from '../terminal/screen.ts';
import { describeChanges } from './describe-changes.ts';

interface Description {
  readonly paint: Paint;
  /** The end time of activities that have not ended. */
  readonly lastAt: number;
  readonly cost: number | undefined;
}

/** Describes an activity in one line, with further lines for its notes. Trace files are untrusted. */
export function describeActivity(node: TraceNode, { paint, lastAt, cost }: Description): string[] {
  const { start, end } = node;
  const isLayer = start.kind === 'layer';
  const time = isLayer && typeof end?.ownMs === 'number' ? end.ownMs : (end?.at ?? lastAt) - start.at;
  const facts = [
    paint.cyan(duration(time)),
    ...(isLayer ? describeChanges(end?.changes) : factsOf(node)),
    cost === undefined || isLayer || start.kind === 'step' ? '' : dollars(cost),
    ...outcomeOf(node, paint),
  ];
  const line = [titleOf(node, paint), ...facts.filter(Boolean)].join('  ');
  return [line, ...contentOf(node).map((text) => paint.dim(text))];
}

function titleOf({ start }: TraceNode, paint: Paint): string {
  switch (start.kind) {
    case 'run':
      return `${paint.bold('run')}${start.agent === undefined ? '' : ` ${oneLine(start.agent)}`}`;
    case 'step':
      return paint.bold(`step ${word(start.step)}`);
    case 'model': {
      const { origin } = start;
      const who = origin === undefined ? '' : ` (${word(origin.plugin)}: ${word(origin.purpose)})`;
      return `chat ${paint.bold(word(start.model))}${who}`;
    }
    case 'tool': {
      const skill = start.skill === undefined ? '' : ` (${word(start.skill)})`;
      return `tool ${paint.bold(word(start.tool))}${skill}`;
    }
    case 'layer':
      return `${paint.magenta(word(start.plugin))} ${word(start.hook)} ${paint.dim(word(start.tap))}`;
    default:
      return word(start.kind);
  }
}

function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), 80) : '?';
}

function factsOf({ start, end, notes }: TraceNode): string[] {
  const firstChunk = notes.find(({ note }) => note === 'first-chunk');
  return [
    start.kind === 'run' && typeof end?.steps === 'number' ? count(end.steps, 'step') : '',
    start.kind === 'model' && Number(start.attempt) > 1 ? `attempt ${start.attempt}` : '',
    start.compacted === true ? 'compacted' : '',
    firstChunk === undefined ? '' : `first chunk ${duration(firstChunk.at - start.at)}`,
    tokens(end?.usage),
    Array.isArray(end?.providerCalls) ? `by the provider: ${word(end.providerCalls.join(', '))}` : '',
    typeof end?.sources === 'number' ? count(end.sources, 'source') : '',
    end?.finish === undefined ? '' : word(end.finish),
  ];
}

/** Returns the outcome of an activity, and the questions that it waits for. */
function outcomeOf({ start, end, notes }: TraceNode, paint: Paint): string[] {
  const asked = notes.flatMap(({ interrupt }) =>
    interrupt === undefined
      ? []
      : [paint.yellow(oneLine(`waiting for ${interrupt.kind} ${interrupt.tool ?? ''}`))],
  );
  if (end === undefined) return [...asked, paint.yellow('not finished')];
  const { outcome, error } = end;
  const why = error === undefined ? '' : `: ${oneLine(`${error.code ?? error.type}: ${error.message}`)}`;
  if (outcome === 'failed' || (outcome === undefined && error !== undefined))
    return [paint.red(`✗ failed${why}`)];
  if (outcome === 'denied' || outcome === 'aborted') return [paint.yellow(`✗ ${outcome}${why}`)];
  if (outcome === 'interrupted') return asked.length > 0 ? asked : [paint.yellow('waiting for an answer')];
  return start.kind === 'run' ? [paint.green(`✓ ${word(outcome)} (${word(end.stopReason)})`)] : [];
}

/** Returns lines with the recorded instructions, messages, arguments and results, as far as the trace contains them. */
function contentOf({ start, end }: TraceNode): string[] {
  const messages = Array.isArray(start.newMessages) ? start.newMessages : [];
  const parts: (readonly [string, unknown])[] = [
    ['instructions:', start.instructions],
    ...messages.map((message) => ['', message] as const),
    ['arguments:', start.input],
    ['answer:', end?.message],
    ['result:', end?.result],
  ];
  return parts
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => oneLine(`${name} ${textIn(value)}`, 200));
}

/** Returns the texts of a message, else JSON. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  const { role, content } = (value ?? {}) as { readonly role?: unknown; readonly content?: unknown };
  if (typeof role !== 'string' || !Array.isArray(content)) return JSON.stringify(value);
  const texts = content.map((part: { readonly text?: unknown } | null) =>
    typeof part?.text === 'string' ? part.text : JSON.stringify(part),
  );
  return `${role}: ${texts.join(' ')}`;
}

function tokens(usage: unknown): string {
  const { input, output } = (usage ?? {}) as { readonly input?: unknown; readonly output?: unknown };
  if (typeof input !== 'number' || typeof output !== 'number' || input + output === 0) return '';
  return `${input.toLocaleString('en')} → ${output.toLocaleString('en')} tokens`;
}

function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '?';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}
