import { sameJson, type JsonObject } from '../../base/json.ts';
import type {
  ConfiguredPlugins,
  RunRecord,
  SessionAbout,
  SessionRecord,
  StateEntry,
} from '../../contract/store.ts';
import type { ChangeDraft } from './change-draft.ts';
import { Journal } from './journal.ts';
import { MessageLog } from './message-log.ts';
import { weigh } from './weigh.ts';

/** The members of a session record that make up its content. */
export type ContentRecord = Pick<SessionRecord, 'messages' | 'state' | 'journal' | 'run' | 'about'>;

/**
 * The content of a session: messages, journal, plugin state, last run, and `about`. Only this class applies changes.
 */
export class SessionContent {
  readonly log: MessageLog;
  /** Created with the first entry, since most runs call no tools. */
  #journal: Journal | undefined;
  /** Created with the first entry. It never contains an empty map. */
  #state: Map<string, Map<string, StateEntry>> | undefined;
  #run: RunRecord | undefined;
  #about: SessionAbout | undefined;
  /** The number of measured messages at the start, and their size in bytes. */
  #weighed = 0;
  #messageBytes = 0;

  constructor(log: MessageLog = MessageLog.of()) {
    this.log = log;
  }

  /** Returns the content of a loaded session. */
  static of({ messages, state, journal, run, about }: ContentRecord): SessionContent {
    const content = new SessionContent(MessageLog.of(messages));
    content.#applyState(state);
    const entries = Object.entries(journal);
    if (entries.length > 0) content.#journal = new Journal(entries);
    content.#run = run;
    content.#about = about;
    return content;
  }

  /** Returns an independent copy. Messages are shared. */
  fork(): SessionContent {
    const fork = new SessionContent(this.log.fork());
    fork.#journal = this.#journal?.fork();
    if (this.hasState)
      fork.#state = new Map(Array.from(this.#state ?? [], ([plugin, keys]) => [plugin, new Map(keys)]));
    fork.#run = this.#run;
    fork.#about = this.#about;
    if (this.#weighed <= this.log.untouched) {
      fork.#weighed = this.#weighed;
      fork.#messageBytes = this.#messageBytes;
    }
    return fork;
  }

  apply({ replace, append, state, journal, run, about }: ChangeDraft): void {
    if (replace !== undefined)
      for (const { from, to, messages } of replace) this.log.replace(from, to, messages);
    if (append !== undefined) this.log.append(append);
    if (state !== undefined) this.#applyState(state);
    if (journal !== undefined) {
      this.#journal ??= new Journal();
      this.#journal.apply(journal);
    }
    if (run !== undefined) this.#run = run;
    if (about !== undefined) this.#about = about;
  }

  get journal(): Journal | undefined {
    return this.#journal;
  }

  /** The last run. */
  get run(): RunRecord | undefined {
    return this.#run;
  }

  /** The plugins of the last run. Records of format 1 have them in the run. */
  get plugins(): ConfiguredPlugins {
    return this.#notedPlugins ?? this.#run?.plugins ?? nothing;
  }

  /** Returns the change that notes these plugins; undefined if they are noted. */
  pluginsChange(plugins: ConfiguredPlugins): Pick<ChangeDraft, 'state'> | undefined {
    const noted = this.#notedPlugins;
    // Most sessions are new, and comparing costs more than the rest of a run's first commit.
    if (noted === undefined ? Object.keys(plugins).length === 0 : sameJson(noted, plugins)) return undefined;
    // A list of names and versions is JSON, whatever its type has for a missing version.
    const value = plugins as unknown as JsonObject;
    return { state: { [core]: { plugins: Object.freeze({ version: 1, value, onFork: 'keep' }) } } };
  }

  get #notedPlugins(): ConfiguredPlugins | undefined {
    // Only `pluginsChange` writes it.
    return this.stateEntry(core, 'plugins')?.value as unknown as ConfiguredPlugins | undefined;
  }

  /** Metadata of the session. */
  get about(): SessionAbout | undefined {
    return this.#about;
  }

  get hasState(): boolean {
    return this.#state !== undefined && this.#state.size > 0;
  }

  /** The ids of the plugins that have session state. */
  get stateOwners(): readonly string[] {
    return [...(this.#state?.keys() ?? [])];
  }

  stateEntry(plugin: string, key: string): StateEntry | undefined {
    return this.#state?.get(plugin)?.get(key);
  }

  /** Returns the content as members of a session record. */
  toRecord(): Omit<ContentRecord, 'messages'> {
    return {
      state: this.#stateRecord(),
      journal: this.#journal?.toRecord() ?? nothing,
      ...(this.#run === undefined ? {} : { run: this.#run }),
      ...(this.#about === undefined ? {} : { about: this.#about }),
    };
  }

  /** The approximate size in memory in bytes; unmeasured messages do not count. */
  get bytes(): number {
    const rest = weigh([this.#stateRecord(), this.#journal?.toRecord(), this.#run]);
    return this.#messageBytes + rest + this.log.notedCalls * entryBytes;
  }

  get isWeighed(): boolean {
    return this.#weighed >= this.log.length;
  }

  /** Measures up to `count` more messages. Returns their size in bytes. */
  weighMore(count: number): number {
    const { log } = this;
    const to = Math.min(this.#weighed + count, log.length);
    let bytes = 0;
    for (; this.#weighed < to; this.#weighed += 1) bytes += weigh(log.at(this.#weighed));
    this.#messageBytes += bytes;
    return bytes;
  }

  #applyState(state: NonNullable<ChangeDraft['state']>): void {
    for (const [plugin, entries] of Object.entries(state)) {
      this.#state ??= new Map();
      const keys = this.#state.get(plugin) ?? new Map<string, StateEntry>();
      merge(keys, entries);
      if (keys.size > 0) this.#state.set(plugin, keys);
      else this.#state.delete(plugin);
    }
  }

  #stateRecord(): SessionRecord['state'] {
    if (this.#state === undefined || this.#state.size === 0) return nothing;
    return Object.freeze(
      Object.fromEntries(Array.from(this.#state, ([plugin, keys]) => [plugin, toFrozenRecord(keys)])),
    );
  }
}

/**
 * The owner of the state in which the plugins are kept. In the record of the run, which each commit writes, they would be
 * two fifths of what a step with twelve plugins writes.
 */
const core = 'core';

/** The approximate size of a map entry in bytes. */
const entryBytes = 40;

const nothing = Object.freeze({});

function merge<T>(map: Map<string, T>, change: Readonly<Record<string, T | null>>): void {
  for (const key of Object.keys(change)) {
    const value = change[key];
    if (value === null) map.delete(key);
    else if (value !== undefined) map.set(key, value);
  }
}

/** `fromEntries` defines members, so that even a key like `__proto__` becomes an own member. */
function toFrozenRecord<T>(map: ReadonlyMap<string, T>): Readonly<Record<string, T>> {
  return Object.freeze(Object.fromEntries(map));
}
