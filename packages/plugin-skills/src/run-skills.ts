import type { RunInfo, Tool } from '@shallot/core';
import type { Files } from '@shallot/core/files';

import { loadSkills, type SkillSet } from './finding/load-skills.ts';
import type { SkillIndex } from './finding/skill-index.ts';
import { areUsual } from './finding/usual-sources.ts';
import { KeptTextFinder } from './kept-text.ts';
import { renderSkillList, type ListBudget, type SkillList } from './listing/skill-list.ts';
import type { SkillsSettings } from './options.ts';
import { offerSkills } from './skill-tool.ts';

/** The skills that a run offers to a model with a context of this size. */
export interface Offer {
  readonly list: SkillList;
  /** Undefined when there are no skills. */
  readonly tool: Tool | undefined;
}

interface LiveRun {
  set?: Promise<SkillSet>;
  readonly finder: KeptTextFinder;
  readonly told: Set<string>;
}

interface Load {
  current?: Promise<SkillSet> | undefined;
  last?: SkillSet;
  /** True if another process found `last`, and this process has not looked since. */
  isIndexed?: boolean;
}

interface Surroundings {
  readonly count: (text: string) => number;
  readonly signal: AbortSignal;
  /** The agent's own files, and the index of skills that were found in them before. */
  readonly files: Files;
  readonly index: SkillIndex;
}

/** The most skills that are checked before a run begins. More would delay the run. */
const maxAwaited = 100;
/** The share of a model's context that a list takes, and its length if the size of the context is unknown. */
const listShare = 0.05;
const defaultListChars = 16_000;

/** The skills of active runs. */
export class RunSkills {
  readonly #settings: SkillsSettings;
  readonly #around: Surroundings;
  readonly #runs = new Map<string, LiveRun>();
  /** The searches by files, because runs may have files of their own. */
  readonly #loads = new WeakMap<object, Load>();
  /** The offers by found skills and context size. */
  readonly #offers = new WeakMap<SkillSet, Map<number | undefined, Offer>>();

  constructor(settings: SkillsSettings, around: Surroundings) {
    this.#settings = settings;
    this.#around = around;
  }

  /** Keeps the data of a run while `work` is in progress. */
  async during<T>(run: RunInfo, work: () => Promise<T>): Promise<T> {
    this.#runs.set(run.id, { finder: new KeptTextFinder(), told: new Set() });
    // A run that is resumed executes calls before it looks for skills.
    this.#loadOf(run.files);
    try {
      return await work();
    } finally {
      this.#runs.delete(run.id);
    }
  }

  finder(run: RunInfo): KeptTextFinder {
    return this.#run(run).finder;
  }

  /** Returns the skills of a run. They stay the same throughout, also if it continues in another process. */
  found(run: RunInfo): Promise<SkillSet> {
    const entry = this.#runs.get(run.id);
    const set = entry?.set ?? this.#load(run.files);
    // A run that began before the plugin was added has its tool, but no entry here.
    if (entry !== undefined) entry.set = set;
    return set;
  }

  /** Returns the current skills of some files. */
  search(files: Files): Promise<SkillSet> {
    const load = this.#loadOf(files);
    return this.#search(files, load);
  }

  /** Returns the offer for a model with a context of this size. It is made only once for the same skills. */
  offer(set: SkillSet, tool: Tool, contextTokens: number | undefined): Offer {
    const offers = this.#offers.get(set) ?? new Map<number | undefined, Offer>();
    this.#offers.set(set, offers);
    let offer = offers.get(contextTokens);
    if (offer === undefined) {
      const list = renderSkillList(
        [...set.skills.values()],
        { ...this.#settings, sources: this.#sourcesOf(set) },
        this.#budget(contextTokens),
      );
      offer = { list, tool: set.skills.size === 0 ? undefined : offerSkills(tool, list) };
      offers.set(contextTokens, offer);
    }
    return offer;
  }

  /** Checks a large set of skills for changes, for the next run. */
  refresh({ files }: RunInfo): void {
    const load = this.#loads.get(identityOf(files));
    if (load?.last === undefined || !(load.isIndexed === true || this.#isLate(load.last))) return;
    // The search reports what it cannot read, and nobody needs to know of its abort.
    this.#search(files, load).catch(() => {});
  }

  /** Calls `tell` once per run. */
  tellOnce(run: RunInfo, what: string, tell: () => void): void {
    const { told } = this.#run(run);
    if (told.has(what)) return;
    told.add(what);
    tell();
  }

  #run(run: RunInfo): LiveRun {
    const entry = this.#runs.get(run.id);
    if (entry === undefined) throw new Error(`the run ${run.id} is not active`);
    return entry;
  }

  /** Returns the sources to name in the list: of the usual ones, only those with skills. */
  #sourcesOf({ skills }: SkillSet): readonly string[] {
    const { sources } = this.#settings;
    if (!areUsual(sources)) return sources;
    const used = new Set([...skills.values()].map(({ source }) => source));
    return sources.filter((source) => used.has(source));
  }

  #budget(contextTokens: number | undefined): ListBudget {
    const { maxListChars } = this.#settings;
    if (maxListChars !== undefined) return { maxChars: maxListChars };
    if (contextTokens === undefined) return { maxChars: defaultListChars };
    return { maxTokens: contextTokens * listShare, count: this.#around.count };
  }

  #loadOf(files: Files): Load {
    const key = identityOf(files);
    const known = this.#loads.get(key);
    if (known !== undefined) return known;
    for (const source of this.#settings.sources) files.protect?.(protectedIn(source), 'state');
    const load = {};
    this.#loads.set(key, load);
    return load;
  }

  /** Returns true if the files are the agent's own. */
  #areOwn(files: Files): boolean {
    return identityOf(files) === identityOf(this.#around.files);
  }

  #load(files: Files): Promise<SkillSet> {
    const load = this.#loadOf(files);
    const { last } = load;
    if (last !== undefined && (this.#settings.reload === 'once' || this.#isLate(last))) {
      return Promise.resolve(last);
    }
    if (last === undefined && load.current === undefined && this.#areOwn(files))
      load.current = this.#fromIndex(files, load);
    return load.current ?? this.#search(files, load);
  }

  /** Returns the skills that the previous process found, if they are very many; else searches. */
  async #fromIndex(files: Files, load: Load): Promise<SkillSet> {
    const set = await this.#around.index.load(files);
    load.current = undefined;
    if (set === undefined || set.read.size <= maxAwaited) return this.#search(files, load);
    load.last = set;
    load.isIndexed = true;
    return set;
  }

  /** Returns whether runs get the results of an earlier search, so that changes appear one run later. */
  #isLate({ read }: SkillSet): boolean {
    return this.#settings.reload === 'changed' && read.size > maxAwaited;
  }

  /** Searches, or joins a search in progress, so that runs that start at the same time share one. */
  #search(files: Files, load: Load): Promise<SkillSet> {
    const { sources, depth } = this.#settings;
    const { signal, index } = this.#around;
    load.current ??= loadSkills(files, sources, {
      depth,
      earlier: load.last,
      signal,
    })
      .then((set) => {
        load.isIndexed = false;
        if (isSame(load.last, set)) return load.last;
        if (this.#areOwn(files) && set.read.size > maxAwaited) void index.save(set);
        return (load.last = set);
      })
      .finally(() => {
        load.current = undefined;
      });
    return load.current;
  }
}

/**
 * Returns the glob of files in a source that tools may not write: a skill tells the model what to do, and which calls
 * need no approval.
 */
function protectedIn(source: string): string {
  // Below the root are all files, so only skill files are protected there.
  return source === '/' ? '/**/skill.md' : `${source}/**`;
}

/** Returns true if nothing has changed, so that cached results stay valid. */
function isSame(last: SkillSet | undefined, set: SkillSet): last is SkillSet {
  if (last === undefined || last.read.size !== set.read.size) return false;
  if (last.notices.length !== set.notices.length) return false;
  for (const [path, file] of set.read) if (last.read.get(path) !== file) return false;
  return set.notices.every((notice, index) => last.notices[index]?.path === notice.path);
}

function identityOf(files: Files): object {
  return files.identity ?? files;
}
