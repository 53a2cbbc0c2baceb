import { encodeText } from '../base/encode-text.ts';
import type { InboxNews } from '../contract/work/inbox.ts';
import type { Database } from './database.ts';

/**
 * The pause between two checks for changes by other processes, in milliseconds. A check that finds none only reads one
 * number.
 */
const pauseMs = 15;

/** The listener of a run, and the news that it has received. */
interface Watcher {
  readonly heard: (news: InboxNews) => void;
  /** The id of the newest entry. */
  newest: unknown;
  isToStop: boolean;
}

/** Detects that another process has sent something to a run, or has requested its stop, while there are listeners. */
export class InboxWatch {
  readonly #database: Database;
  readonly #watchers = new Map<string, Watcher>();
  #timer: NodeJS.Timeout | undefined;
  /** SQLite's `data_version`, which differs after a commit over any other connection. */
  #version: unknown;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Calls `heard` for all news, perhaps more than once for the same. Returns a function that removes the listener. */
  add(sessionId: string, heard: (news: InboxNews) => void): () => void {
    const watcher: Watcher = { heard, newest: null, isToStop: false };
    this.#watchers.set(sessionId, watcher);
    this.#lookSoon();
    return () => {
      if (this.#watchers.get(sessionId) === watcher) this.#watchers.delete(sessionId);
    };
  }

  /** Passes on news of this process itself. */
  notify(sessionId: string, news: InboxNews): void {
    this.#watchers.get(sessionId)?.heard(news);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watchers.clear();
  }

  /** Not part of `add`, because a closure created there would keep its listener, and with it a run, in memory. */
  #lookSoon(): void {
    this.#timer ??= setTimeout(() => void this.#look(), pauseMs).unref();
  }

  async #look(): Promise<void> {
    try {
      for (const tell of (await this.#database.read(() => this.#findNews())) ?? []) tell();
    } catch {
      // The next check, or the renewal of the claim, finds the news.
    }
    if (this.#watchers.size > 0) this.#timer?.refresh();
    else this.#timer = undefined;
  }

  #findNews(): readonly (() => void)[] {
    const version = this.#database.prepare('PRAGMA data_version').get()?.['data_version'];
    if (version === this.#version) return [];
    this.#version = version;
    const find = this.#database.prepare(
      `SELECT stop, (SELECT id FROM inbox WHERE session_id = sessions.id ORDER BY number DESC LIMIT 1) AS newest
       FROM sessions WHERE session = ?`,
    );
    return [...this.#watchers].flatMap(([sessionId, watcher]) =>
      newsFor(watcher, find.get(encodeText(sessionId))),
    );
  }
}

/** Returns functions that pass on the news that a watcher has not received yet. */
function newsFor(watcher: Watcher, row: Record<string, unknown> | undefined): readonly (() => void)[] {
  const newest = row?.['newest'] ?? null;
  const isToStop = row?.['stop'] === 1;
  const tells: (() => void)[] = [];
  if (newest !== null && newest !== watcher.newest) tells.push(() => watcher.heard('sent'));
  if (isToStop && !watcher.isToStop) tells.push(() => watcher.heard('stop'));
  watcher.newest = newest;
  watcher.isToStop = isToStop;
  return tells;
}
