import type { PermissionMode } from './permissions.ts';

/** Rules that answers have kept for all sessions of a project. A loader of configs provides it. */
export interface KeptRules {
  /** The file, for people. */
  readonly from: string;
  /** Returns the rules that allow calls, as this process knows them. */
  readonly list: () => readonly string[];
  /** Adds a rule to the file, beside those that other processes have added. @throws if the file cannot be changed */
  readonly add: (rule: string) => Promise<void>;
  /** Removes a rule. Resolves to false if there is none. @throws if the file cannot be changed */
  readonly remove: (rule: string) => Promise<boolean>;
}

/** Rules of a person for all their projects. They only narrow what an agent may do. */
export interface PersonRules {
  /** The file, for people. */
  readonly from: string;
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly maxMode: PermissionMode | undefined;
}

/** Permissions beside those of the config. */
export interface PermissionFiles {
  readonly person?: PersonRules | undefined;
  readonly project?: KeptRules | undefined;
  /** The protected files that `unlock` of the config opens: a person is asked about them. Default: none. */
  readonly unlocked?: readonly string[] | undefined;
}
