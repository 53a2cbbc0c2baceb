import { encodeText } from '../base/encode-text.ts';
import type { InboxNews } from '../contract/work/inbox.ts';
import type { Database } from './database.ts';

/** The pause between two looks for changes of other processes, in milliseconds. A look without one is a read of one number. */
const pauseMs = 15;

/** The process of a run that listens, and what it has heard of. */
interface Watcher {
  readonly heard: (news: InboxNews) => void;
  /** The id of the newest entry. */
  newest: unknown;
  isToStop: boolean;
}

/** Finds out that another process has sent something to a run, or asked for its stop, as long as somebody listens. */
export class InboxWatch {
  readonly #database: Database;
  readonly #watchers = new Map<string, Watcher>();
  #timer: NodeJS.Timeout | undefined;
  /** Differs after a commit over any other connection. */
  #version: unknown;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Calls `heard` at each news, perhaps more often. Returns a function that stops this. */
  add(sessionId: string, heard: (news: InboxNews) => void): () => void {
    const watcher: Watcher = { heard, newest: null, isToStop: false };
    this.#watchers.set(sessionId, watcher);
    this.#lookSoon();
    return () => {
      if (this.#watchers.get(sessionId) === watcher) this.#watchers.delete(sessionId);
    };
  }

  /** Passes on what this process itself has sent or requested. */
  notify(sessionId: string, news: InboxNews): void {
    this.#watchers.get(sessionId)?.heard(news);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watchers.clear();
  }

  /** Apart from `add`: what is created there keeps its listener, and with it a run, from the garbage collector. */
  #lookSoon(): void {
    this.#timer ??= setTimeout(() => void this.#look(), pauseMs).unref();
  }

  async #look(): Promise<void> {
    try {
      for (const tell of (await this.#database.read(() => this.#findNews())) ?? []) tell();
    } catch {
      // The next look, or the renewal of the claim, finds it.
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

/** Returns the calls that tell a watcher what it has not heard of yet. */
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
