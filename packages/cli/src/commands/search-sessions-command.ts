import { isShallotError, type Message } from '@shallot/core';
import type { SessionRecord, SessionSummary, Store } from '@shallot/core/store';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { toJson } from '../rendering/render-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { readCount } from '../terminal/read-count.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { withSharedStore } from '../work/with-store.ts';

export interface SearchSessionsOptions extends AgentCommandOptions {
  readonly json?: boolean;
  /** A number, as typed. */
  readonly limit: string;
}

/** A session that contains the text. */
interface Found {
  readonly id: string;
  readonly title?: string;
  /** The first messages with the text, shortened around it. */
  readonly matches: readonly { readonly role: Message['role']; readonly text: string }[];
}

/** The most messages that are shown of a session. */
const maxMatches = 3;
/** The characters shown before and after the text. */
const around = 40;

/**
 * `shallot sessions search`: lists the sessions whose id, title or messages contain a text, regardless of case, most
 * recently changed first. Reads sessions until enough are found.
 */
export async function searchSessionsCommand(
  text: string,
  options: SearchSessionsOptions,
  screen: Screen,
): Promise<void> {
  const limit = readCount('--limit', options.limit);
  if (text.trim() === '') throw new CommandFailure(exitStatus.usage, 'The text to search for is empty.');
  await withSharedStore('shallot sessions search', options, screen, async (store) => {
    const all: Found[] = [];
    for await (const found of searchIn(store, text.toLowerCase(), screen)) {
      all.push(found);
      if (all.length === limit) break;
    }
    if (options.json) await screen.line(toJson(all, { indent: 2 }));
    else if (all.length === 0) screen.note('No session contains it.');
    else await screen.line(all.map((found) => renderFound(found, screen)).join('\n'));
  });
}

async function* searchIn(store: Store, text: string, screen: Screen): AsyncGenerator<Found> {
  for await (const summary of store.list()) {
    const record = await loadWhole(store, summary, screen);
    if (record === undefined) continue;
    const { id, about: { title } = {} } = record;
    const matches = matchesIn(record.messages, text);
    const isNamed = [id, title ?? ''].some((name) => name.toLowerCase().includes(text));
    if (matches.length > 0 || isNamed) yield { id, ...(title !== undefined && { title }), matches };
  }
}

/** Loads a session; reports a damaged one, so that it does not hide the others. */
async function loadWhole(
  store: Store,
  { id }: SessionSummary,
  screen: Screen,
): Promise<SessionRecord | undefined> {
  try {
    return await store.load(id);
  } catch (error) {
    if (!isShallotError(error, 'STORE_DAMAGED')) throw error;
    noteWarning(error, screen);
    return undefined;
  }
}

function matchesIn(messages: readonly Message[], text: string): Found['matches'] {
  const texts = messages.flatMap(({ role, content }) =>
    content.flatMap((part) => (part.type === 'text' ? [{ role, whole: part.text }] : [])),
  );
  return texts
    .map(({ role, whole }) => ({ role, whole, at: whole.toLowerCase().indexOf(text) }))
    .filter(({ at }) => at !== -1)
    .slice(0, maxMatches)
    .map(({ role, whole, at }) => ({ role, text: cut(whole, at, text.length) }));
}

function cut(whole: string, at: number, length: number): string {
  const [from, to] = [Math.max(at - around, 0), at + length + around];
  const part = whole.slice(from, to).toWellFormed().replaceAll(/\s+/g, ' ').trim();
  return `${from > 0 ? '…' : ''}${part}${to < whole.length ? '…' : ''}`;
}

function renderFound({ id, title, matches }: Found, { paint }: Screen): string {
  const head = `${paint.bold(visibleLine(id))}${title === undefined ? '' : `  “${visibleLine(title)}”`}`;
  const lines = matches.map(({ role, text }) => `  ${paint.dim(`${role}:`)} ${visibleLine(text)}`);
  return [head, ...lines].join('\n');
}
