import { readFileSync } from 'node:fs';

import type { Edition } from '../../src/otel/semconv.ts';

/** An attribute, as listed in `conventions.md`. */
export interface ConventionRow {
  readonly name: string;
  readonly type: string;
  readonly level: string;
  /** `yes`, `with content`, or `never` with the reason. */
  readonly sent: string;
}

/** A signal of the conventions: a span, a metric or an event. */
export interface Convention {
  readonly signal: 'Span' | 'Metric' | 'Event';
  readonly name: string;
  /** The kind of a span, the kind and unit of a metric, or the severity of an event. */
  readonly form: string;
  readonly rows: readonly ConventionRow[];
}

const page = readFileSync(new URL('../../conventions.md', import.meta.url), 'utf8');

/** Returns the signals of an edition, from the tables in `conventions.md`. */
export function conventionsOf(edition: Edition): Convention[] {
  const [, part = ''] = page.split(`\n## Edition ${edition}\n`);
  const [own = ''] = part.split('\n## ');
  const found = own
    .split('\n### ')
    .slice(1)
    .flatMap((section) => conventionsIn(section));
  const chat = found.find(({ name }) => name === 'chat')?.rows ?? [];
  // The event has the same attributes as the span `chat`.
  return found.map(({ signal, name, form, rows }) => ({
    signal,
    name,
    form,
    rows: rows.length === 0 ? chat : rows,
  }));
}

function conventionsIn(section: string): Convention[] {
  const [title = '', ...lines] = section.split('\n');
  const signal = title.startsWith('Span') ? 'Span' : title.startsWith('Metric') ? 'Metric' : 'Event';
  const rows = lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .map(([, name = '', type = '', level = '', , sent = '']) => ({ name, type, level, sent }));
  return [...title.matchAll(/`([^`]+)`(?: \(([^)]+)\))?/g)].map(([, name = '', form = '']) => ({
    signal,
    name,
    form,
    rows,
  }));
}
