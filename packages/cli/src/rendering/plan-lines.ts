import type { AgentEvent, JsonValue } from '@shallot/core';
import { isJsonObject, visible } from '@shallot/core/plugin';
import stringWidth from 'fast-string-width';

import { oneLine } from '../terminal/printable.ts';
import type { Paint, Screen } from '../terminal/screen.ts';
import { columnsOf } from '../terminal/terminal-width.ts';

type PluginEvent = Extract<AgentEvent, { readonly type: 'plugin' }>;

/** The columns of a sign and a space. */
const signWidth = 2;

/** The most entries that are shown; more would push the conversation off the terminal. */
const maxShown = 12;

/**
 * Returns a line for each entry of the to-do list in an event of its plugin, no wider than the terminal; of a long list a
 * section, and the number of the others. Returns undefined for any other event.
 */
export function planLines(
  { plugin, name, data }: PluginEvent,
  { io, paintNotes: paint }: Pick<Screen, 'io' | 'paintNotes'>,
): readonly string[] | undefined {
  const todos = plugin === 'todo' && name === 'plan' && isJsonObject(data) ? data['todos'] : undefined;
  if (!Array.isArray(todos)) return undefined;
  const columns = columnsOf(io.stderr) - signWidth - 1;
  const entries = todos.map((todo: JsonValue) => lineOf(todo, paint, columns));
  if (entries.length <= maxShown) return entries;
  // Finished entries come first, so entries from the last finished one on are shown.
  const begun = todos.findIndex((todo: JsonValue) => statusOf(todo) !== 'done');
  const from = Math.max(0, Math.min(begun - 1, entries.length - maxShown));
  const left = entries.length - maxShown;
  return [...entries.slice(from, from + maxShown), paint.dim(`… ${left} more of ${entries.length}`)];
}

function lineOf(todo: JsonValue, paint: Paint, columns: number): string {
  const content = isJsonObject(todo) && typeof todo['content'] === 'string' ? todo['content'] : '';
  const text = clip(oneLine(visible(content)), columns);
  const status = statusOf(todo);
  if (status === 'done') return paint.dim(`✓ ${text}`);
  return status === 'in_progress' ? paint.bold(`▸ ${text}`) : `☐ ${text}`;
}

const segmenter = new Intl.Segmenter('en');

function clip(text: string, columns: number): string {
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  while (stringWidth(characters.join('')) > columns) characters.pop();
  return characters.join('');
}

function statusOf(todo: JsonValue): JsonValue | undefined {
  return isJsonObject(todo) ? todo['status'] : undefined;
}
