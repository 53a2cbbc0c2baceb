import type { RunInfo, Tool } from '@shallot/core';
import type { Files } from '@shallot/core/files';

import { KeptTextFinder } from './kept-text.ts';
import { loadSkills, type SkillSet } from './load-skills.ts';
import type { SkillsSettings } from './options.ts';
import { renderSkillList, type SkillList } from './skill-list.ts';
import { offerSkills } from './skill-tool.ts';

/** What a run offers of the skills that it found. */
export interface Offer {
  readonly set: SkillSet;
  readonly list: SkillList;
  /** Undefined when there are no skills. */
  readonly tool: Tool | undefined;
}

interface LiveRun {
  offer?: Promise<Offer>;
  readonly finder: KeptTextFinder;
  readonly told: Set<string>;
}

/** The skills of the runs that are under way. */
export class RunSkills {
  readonly #settings: SkillsSettings;
  readonly #runs = new Map<string, LiveRun>();
  /** By the files that they were found in: runs may have files of their own. */
  readonly #loads = new WeakMap<Files, { current?: Promise<SkillSet> | undefined; last?: SkillSet }>();

  constructor(settings: SkillsSettings) {
    this.#settings = settings;
  }

  /** Keeps what belongs to a run for as long as it takes. */
  async during<T>(run: RunInfo, work: () => Promise<T>): Promise<T> {
    this.#runs.set(run.id, { finder: new KeptTextFinder(), told: new Set() });
    try {
      return await work();
    } finally {
      this.#runs.delete(run.id);
    }
  }

  finder(run: RunInfo): KeptTextFinder {
    return this.#run(run).finder;
  }

  /** Looks for skills once in a run, also in one that goes on in another process. */
  offer(run: RunInfo, tool: Tool): Promise<Offer> {
    const entry = this.#runs.get(run.id);
    const offer = entry?.offer ?? this.#load(run.files).then((set) => this.#toOffer(set, tool));
    // A run that began before the plugin was there has its tool, but no place to keep things.
    if (entry !== undefined) entry.offer = offer;
    return offer;
  }

  /** Tells something once in a run. */
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

  #toOffer(set: SkillSet, tool: Tool): Offer {
    const { sources, toolName, maxListChars: maxChars } = this.#settings;
    const list = renderSkillList([...set.skills.values()], { sources, toolName, maxChars });
    return { set, list, tool: set.skills.size === 0 ? undefined : offerSkills(tool, [...set.skills.keys()]) };
  }

  /** Runs that begin at once share one load. */
  #load(files: Files): Promise<SkillSet> {
    const { sources, reload } = this.#settings;
    const entry = this.#loads.get(files) ?? {};
    this.#loads.set(files, entry);
    if (reload === 'once' && entry.last !== undefined) return Promise.resolve(entry.last);
    entry.current ??= loadSkills(files, sources, entry.last)
      .then((set) => {
        entry.last = set;
        return set;
      })
      .finally(() => {
        entry.current = undefined;
      });
    return entry.current;
  }
}
