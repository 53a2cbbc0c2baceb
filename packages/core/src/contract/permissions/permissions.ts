/** The lists of rules, in the order in which they are evaluated. */
export const ruleLists = ['deny', 'ask', 'allow'] as const;

/** The name of a list of rules. */
export type RuleList = (typeof ruleLists)[number];

/** The modes of a session, from the narrowest to the widest. */
export const permissionModes = ['read-only', 'ask', 'edits'] as const;

/**
 * The calls that need no question, in addition to those that rules allow. `ask`: none. `edits`: writes of file tools.
 * `read-only`: only reads are executed at all.
 */
export type PermissionMode = (typeof permissionModes)[number];

/**
 * Rules for the calls to execute, to ask about and to refuse, by tool and argument: `edit(src/**)`, `shell(git status)`,
 * `fetch(docs.example.org)`, `issues_*(action=delete_*)`, `delete_file`, `*`. An approval plugin evaluates them: `deny`
 * first, then `ask`, then `allow`.
 */
export interface Permissions {
  /** Calls that are executed without a question. Default: none. */
  readonly allow?: readonly string[];
  /** Calls that a person is asked about, whatever `allow` says. Default: none. */
  readonly ask?: readonly string[];
  /** Calls that are refused without a question. Default: none. */
  readonly deny?: readonly string[];
  /** The list for calls that neither a rule nor an entry of the approval plugin covers. Default: `ask`. */
  readonly default?: RuleList;
  /** The mode of a session that names none. Default: `ask`. */
  readonly mode?: PermissionMode;
  /** The widest mode that a person may choose. Default: `edits`. */
  readonly maxMode?: PermissionMode;
  /** The widest rules that an answer may keep: a rule is kept only if one of these covers it. Default: any. */
  readonly mayKeep?: readonly string[];
}
