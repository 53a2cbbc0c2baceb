import type { RunInfo } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import {
  fitsPattern,
  readCall,
  type CallMatcher,
  type PreApprovals,
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
import { isWithin } from './is-within.ts';
import { judge, type Judgement, type RuleSet } from './judge.ts';
import { adviceFor } from './matchers-of.ts';
import { joinRules, parseRules, rulesOf } from './parse-rules.ts';
import type { SessionPermissions } from './session-permissions.ts';

/** The sources of an agent's permissions. */
export interface PermissionSources {
  readonly permissions: Permissions | undefined;
  readonly files: PermissionFiles | undefined;
  /** The entries of the plugin's option `tools`, if it has any. */
  readonly entries: ReadonlyMap<string, Rule | 'pass'> | undefined;
  readonly session: SessionPermissions;
  /** The ids of the plugins whose pre-approvals count. */
  readonly preApprovals: readonly string[];
  /** Returns the pre-approvals of a plugin. */
  readonly preApprovalsOf: (plugin: string) => PreApprovals | undefined;
}

/** The circumstances in which a call is judged: in a run, or outside of one for a person who asks. */
interface Place {
  readonly run?: RunInfo | undefined;
  readonly mode?: PermissionMode | undefined;
}

/** The permissions that an agent has now: all rules, and the verdict for calls that no rule covers. */
export class LivePermissions {
  readonly session: SessionPermissions;
  readonly #sources: PermissionSources;
  readonly #config: RuleSet;
  readonly #fixed: RuleSet;
  readonly #mayKeep: readonly PermissionRule[];
  readonly #default: RuleList;
  #matchers: () => readonly CallMatcher[] = () => [];
  #tools: readonly string[] = [];

  constructor(sources: PermissionSources) {
    const { permissions, files, entries, session } = sources;
    this.session = session;
    this.#sources = sources;
    this.#config = parseRules(permissions ?? {});
    this.#fixed = joinRules(this.#config, parseRules({ ask: files?.person?.ask, deny: files?.person?.deny }));
    this.#mayKeep = parseRules({ allow: permissions?.mayKeep }).allow;
    const others = permissions === undefined && entries !== undefined ? 'allow' : 'ask';
    this.#default = permissions?.default ?? others;
  }

  /** Starts to read calls by the matchers of an agent. @throws for rules of the config that do not fit its tools */
  ready(agent: ReadyAgent, naming: ToolNaming): void {
    this.#matchers = agent.matchers;
    this.#tools = agent.tools.map(({ name }) => name);
    const { deny, ask, allow } = this.#config;
    checkRules([...deny, ...ask, ...allow, ...this.#mayKeep], agent, naming);
  }

  /** Returns advice against a rule that an answer would keep; undefined if the matchers take it. */
  adviceFor(rule: PermissionRule): string | undefined {
    return adviceFor(rule, this.#matchers());
  }

  /** Returns the widest rules that may be kept, if none of them covers this rule; undefined if the rule may be kept. */
  mayKeep(rule: PermissionRule): readonly string[] | undefined {
    const { mayKeep } = this.#sources.permissions ?? {};
    if (mayKeep === undefined || this.#mayKeep.some((wider) => isWithin(rule, wider, this.#matchers())))
      return undefined;
    return mayKeep;
  }

  /** Returns true if a rule or the mode may refuse calls of a run. */
  mayDeny(run: RunInfo): boolean {
    return (
      this.#fixed.deny.length > 0 ||
      this.#ofPlugins().deny.length > 0 ||
      this.session.modeIn(run) === 'read-only'
    );
  }

  /** Reads a call by the matchers of its tool. */
  read(call: CallToRead): Promise<ReadCall> {
    return readCall(call, this.#matchers());
  }

  /** Judges a call by the rules and the mode. `more` are further rules that allow. */
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
    return joinRules(this.#fixed, this.#ofPlugins(), parseRules({ allow: kept }));
  }

  /** Returns the default for a tool if no rule covers a call: a policy for asking, or a verdict. */
  otherwise(tool: string): Rule | RuleList {
    const entry = this.#entryFor(tool);
    return entry === 'pass' ? 'allow' : (entry ?? this.#default);
  }

  /** Returns true if a call of a tool may be asked about or denied. */
  asksAbout(tool: string): boolean {
    const { deny, ask, allow } = joinRules(this.#fixed, this.#ofPlugins());
    if ([...deny, ...ask].some((rule) => this.#isAbout(rule, tool))) return true;
    if (this.otherwise(tool) === 'allow') return false;
    return !allow.some(({ name, pattern }) => pattern === undefined && fitsPattern(name, tool));
  }

  /** Judges a call for people, also if no rule covers it. */
  async explain(
    { name, input }: Pick<CallToRead, 'name' | 'input'>,
    { files, ...place }: Place & { readonly files: Files },
  ): Promise<PermissionVerdict> {
    const call = await this.read({ name, input, files });
    const { is, rules, because } = this.judge(call, place);
    const touches = call.touches?.map(({ access, what }) => `${access} ${what}`);
    if (is !== 'silent') return { is, rules, because, touches };
    const why = await this.#whyPreApproved({ name, input });
    if (why !== undefined) return { is: 'allow', rules: [], because: `${because}, but ${why}`, touches };
    const otherwise = this.otherwise(name);
    const by = this.#entryFor(name) === undefined ? '`default`' : 'the entry of hitl for the tool';
    const then = typeof otherwise === 'string' ? otherwise : 'ask';
    return { is: then, rules: [], because: `${because}, so ${by} decides`, touches };
  }

  /** Returns the rules in force, except those of sessions. */
  list(): readonly RuleInForce[] {
    const { person, project } = this.#sources.files ?? {};
    const sources = [
      { rules: this.#config, from: 'config' },
      { rules: parseRules({ ask: person?.ask, deny: person?.deny }), from: person?.from ?? '' },
      { rules: parseRules({ allow: this.#keptForProject() }), from: project?.from ?? '' },
    ];
    const ofPlugins = this.#matchers().map((matcher) => ({
      rules: rulesOf(matcher, this.#sources.preApprovals),
      from: `the options of ${matcher.own?.plugin ?? ''}`,
    }));
    return (['deny', 'ask', 'allow'] as const).flatMap((list) =>
      [...sources, ...ofPlugins].flatMap(({ rules, from }) =>
        rules[list].map(({ text }) => ({ list, rule: text, from })),
      ),
    );
  }

  doubts(): readonly RuleDoubt[] {
    const kept = parseRules({ allow: this.#keptForProject() });
    const rules = joinRules(this.#config, this.#ofPlugins(), kept);
    return findDoubts(rules, { tools: this.#tools, matchers: this.#matchers() });
  }

  /** Returns the rules in options of plugins, which are short forms of rules in the permissions. */
  #ofPlugins(): RuleSet {
    const { preApprovals } = this.#sources;
    return joinRules(...this.#matchers().map((matcher) => rulesOf(matcher, preApprovals)));
  }

  /**
   * Returns the reason of a plugin that pre-approves a call outside of a run; undefined if none does. Some plugins
   * know only within a run.
   */
  async #whyPreApproved(call: Pick<CallToRead, 'name' | 'input'>): Promise<string | undefined> {
    const { preApprovals, preApprovalsOf } = this.#sources;
    for (const plugin of preApprovals) {
      const why = await preApprovalsOf(plugin)?.allows({ id: '', index: 0, ...call }, undefined);
      if (why !== undefined && why !== '') return `${plugin} pre-approves it: ${why}`;
    }
    return undefined;
  }

  #keptForProject(): readonly string[] {
    return this.#sources.files?.project?.list() ?? [];
  }

  #entryFor(tool: string): Rule | 'pass' | undefined {
    const { entries } = this.#sources;
    return entries && ruleFor({ tools: entries }, tool);
  }

  #isAbout({ name, isOfTool }: PermissionRule, tool: string): boolean {
    if (fitsPattern(name, tool)) return true;
    if (isOfTool === true) return false;
    return this.#matchers().some(
      (matcher) => matcher.subjects.includes(name) && matcher.tools().includes(tool),
    );
  }
}
