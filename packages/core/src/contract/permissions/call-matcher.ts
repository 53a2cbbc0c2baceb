import type { Files } from '../../files/files.ts';
import type { ToolCall } from '../tool.ts';
import type { RuleList } from './permissions.ts';

/** One thing that a call touches, as it would be executed: a path, a command, an address. */
export interface Touch {
  /** The word that rules use for it: `read`, `edit`, `shell`, `fetch`. */
  readonly subject: string;
  /** The access to it. `walk` reads everything below it. */
  readonly access: 'read' | 'walk' | 'write' | 'execute';
  /** It, for people: a path, a command, an address. */
  readonly what: string;
  /** True for a file that only `unlock` opens: a person is asked about it, whatever the rules say. */
  readonly isUnlocked?: boolean;
  /**
   * Returns true if a pattern covers it, undefined if that cannot be told. For `allow` a pattern covers no more than it
   * says; for the other lists it covers everything that it could mean.
   */
  readonly covers: (pattern: string, list: RuleList) => boolean | undefined;
  /** The narrowest pattern that covers it, for a rule that a person may keep; undefined if none would be safe. */
  readonly narrowest: string | undefined;
}

/** Patterns about the calls of a plugin's tools in its own options. */
export interface OwnRules {
  /** The id of the plugin. */
  readonly plugin: string;
  readonly deny: readonly string[];
  /** They hold where the approval plugin lets this plugin pre-approve calls. */
  readonly allow: readonly string[];
}

/** The part of a tool plugin that reads its calls for rules. It decides nothing. */
export interface CallMatcher {
  /** The words for rules, besides the names of the tools. */
  readonly subjects: readonly string[];
  /** Returns the names of the tools whose calls it reads. */
  readonly tools: () => readonly string[];
  /** Returns advice for a pattern that cannot be used; undefined for any other. */
  readonly advise: (pattern: string) => string | undefined;
  /**
   * Returns true if everything that a pattern allows is surely allowed by another one. Without it, only equal patterns are
   * within one another.
   */
  readonly within?: (pattern: string, wider: string) => boolean;
  /** Patterns of the plugin's own options, short forms of the permissions for calls of these tools. */
  readonly own?: OwnRules;
  /** Returns what a pattern in `allow` opens beyond what it seems to, for people; undefined for nothing. */
  readonly opens?: (pattern: string) => string | undefined;
  /**
   * Returns everything that a call of its tools touches; undefined if it cannot tell. `input` is what the tool would get.
   * A rejection counts as undefined.
   */
  readonly touches: (
    call: Pick<ToolCall, 'name' | 'input'>,
    context: { readonly files: Files },
  ) => readonly Touch[] | undefined | Promise<readonly Touch[] | undefined>;
}
