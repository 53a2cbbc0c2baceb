import type { RunInfo } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import {
  fitsPattern,
  readCall,
  type CallMatcher,
  type CallToRead,
  type PermissionFiles,
  type PermissionMode,
  type PermissionRule,
  type Permissions,
  type PermissionVerdict,
  type ReadCall,
  type ReadyAgent,
  type RuleDoubt,
  type RuleInForce,
  type RuleList,
  type ToolNaming,
} from '@shallot/core/plugin';

import type { Rule } from '../options.ts';
import { ruleFor } from '../rule-for.ts';
import { checkRules } from './check-rules.ts';
import { findDoubts } from './find-doubts.ts';
import { judge, type Judgement, type RuleSet } from './judge.ts';
import { joinRules, parseRules } from './parse-rules.ts';
import type { SessionPermissions } from './session-permissions.ts';

/** The sources of an agent's permissions. */
export interface PermissionSources {
  readonly permissions: Permissions | undefined;
  readonly files: PermissionFiles | undefined;
  /** The entries of the plugin's option `tools`, if it has any. */
  readonly entries: ReadonlyMap<string, Rule | 'pass'> | undefined;
  readonly session: SessionPermissions;
}

/** The place where a call is judged: in a run, or outside for a person who asks. */
interface Place {
  readonly run?: RunInfo | undefined;
  readonly mode?: PermissionMode | undefined;
}

/** The permissions of an agent as they are in force: all rules, and what holds where none speaks. */
export class LivePermissions {
  readonly session: SessionPermissions;
  readonly #sources: PermissionSources;
  readonly #config: RuleSet;
  readonly #fixed: RuleSet;
  readonly #default: RuleList;
  #matchers: () => readonly CallMatcher[] = () => [];
  #tools: readonly string[] = [];

  constructor(sources: PermissionSources) {
    const { permissions, files, entries, session } = sources;
    this.session = session;
    this.#sources = sources;
    this.#config = parseRules(permissions ?? {});
    this.#fixed = joinRules(this.#config, parseRules({ ask: files?.person?.ask, deny: files?.person?.deny }));
    const others = permissions === undefined && entries !== undefined ? 'allow' : 'ask';
    this.#default = permissions?.default ?? others;
  }

  /** Begins to read calls by the matchers of an agent. @throws for rules of the config that it cannot follow */
  ready(agent: ReadyAgent, naming: ToolNaming): void {
    this.#matchers = agent.matchers;
    this.#tools = agent.tools.map(({ name }) => name);
    const { deny, ask, allow } = this.#config;
    checkRules([...deny, ...ask, ...allow], agent, naming);
  }

  /** Returns true if a rule or the mode refuses some calls of a run. */
  mayDeny(run: RunInfo): boolean {
    return this.#fixed.deny.length > 0 || this.session.modeIn(run) === 'read-only';
  }

  /** Reads a call by the matchers of its tool. */
  read(call: CallToRead): Promise<ReadCall> {
    return readCall(call, this.#matchers());
  }

  /** Judges a call by the rules and the mode; `more` are rules that allow, too. */
  judge(
    call: ReadCall,
    { run, mode = this.session.modeIn(run) }: Place,
    more: readonly string[] = [],
  ): Judgement {
    return judge(call, this.rulesIn(run, more), mode);
  }

  /** Returns all rules in force in a run. */
  rulesIn(run: RunInfo | undefined, more: readonly string[] = []): RuleSet {
    const kept = [...this.#keptForProject(), ...this.session.rulesIn(run), ...more];
    return kept.length === 0 ? this.#fixed : joinRules(this.#fixed, parseRules({ allow: kept }));
  }

  /** Returns what holds for a tool where no rule speaks: how to ask, or the verdict. */
  otherwise(tool: string): Rule | RuleList {
    const entry = this.#entryFor(tool);
    return entry === 'pass' ? 'allow' : (entry ?? this.#default);
  }

  /** Returns true if a call of a tool may be asked about or denied. */
  asksAbout(tool: string): boolean {
    const { deny, ask, allow } = this.#fixed;
    if ([...deny, ...ask].some((rule) => this.#isAbout(rule, tool))) return true;
    if (this.otherwise(tool) === 'allow') return false;
    return !allow.some(({ name, pattern }) => pattern === undefined && fitsPattern(name, tool));
  }

  /** Judges a call for people: also where no rule speaks. */
  async explain(
    { name, input }: Pick<CallToRead, 'name' | 'input'>,
    { files, ...place }: Place & { readonly files: Files },
  ): Promise<PermissionVerdict> {
    const call = await this.read({ name, input, files });
    const { is, rules, because } = this.judge(call, place);
    const touches = call.touches?.map(({ access, what }) => `${access} ${what}`);
    if (is !== 'silent') return { is, rules, because, touches };
    const otherwise = this.otherwise(name);
    const by = this.#entryFor(name) === undefined ? '`default`' : 'the entry of hitl for the tool';
    const then = typeof otherwise === 'string' ? otherwise : 'ask';
    return { is: then, rules: [], because: `${because}, so ${by} decides`, touches };
  }

  /** Returns the rules in force, those of sessions aside. */
  list(): readonly RuleInForce[] {
    const { person, project } = this.#sources.files ?? {};
    const sources = [
      { rules: this.#config, from: 'config' },
      { rules: parseRules({ ask: person?.ask, deny: person?.deny }), from: person?.from ?? '' },
      { rules: parseRules({ allow: this.#keptForProject() }), from: project?.from ?? '' },
    ];
    return (['deny', 'ask', 'allow'] as const).flatMap((list) =>
      sources.flatMap(({ rules, from }) => rules[list].map(({ text }) => ({ list, rule: text, from }))),
    );
  }

  doubts(): readonly RuleDoubt[] {
    const rules = joinRules(this.#config, parseRules({ allow: this.#keptForProject() }));
    return findDoubts(rules, { tools: this.#tools, matchers: this.#matchers() });
  }

  #keptForProject(): readonly string[] {
    return this.#sources.files?.project?.list() ?? [];
  }

  #entryFor(tool: string): Rule | 'pass' | undefined {
    const { entries } = this.#sources;
    return entries && ruleFor({ tools: entries }, tool);
  }

  #isAbout({ name }: PermissionRule, tool: string): boolean {
    if (fitsPattern(name, tool)) return true;
    return this.#matchers().some(
      (matcher) => matcher.subjects.includes(name) && matcher.tools().includes(tool),
    );
  }
}
