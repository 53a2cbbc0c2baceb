import type { Files } from '../../files/files.ts';
import type { ToolCall } from '../tool.ts';
import type { RuleList } from './permissions.ts';

/** One thing that a call touches, as it would be executed: a path, a command, an address. */
export interface Touch {
  /** The word that rules use for it: `read`, `edit`, `shell`, `fetch`. */
  readonly subject: string;
  /** The access to it. `walk` reads everything below it. */
  readonly access: 'read' | 'walk' | 'write' | 'execute';
  /** The path, command or address, as people read it. */
  readonly what: string;
  /** True for a protected file that `unlock` opens: a person is asked about it, whatever the rules say. */
  readonly isUnlocked?: boolean;
  /**
   * Returns true if a pattern covers this touch, and undefined if that is unknown. For `allow` a pattern covers no more
   * than it says; for the other lists it covers everything that it could mean.
   */
  readonly covers: (pattern: string, list: RuleList) => boolean | undefined;
  /** The narrowest pattern that covers it, for a rule that a person may keep; undefined if none would be safe. */
  readonly narrowest: string | undefined;
}

/** Patterns in a plugin's own options, about calls of its tools. */
export interface OwnRules {
  /** The id of the plugin. */
  readonly plugin: string;
  readonly deny: readonly string[];
  /** These apply only if the approval plugin lets this plugin pre-approve calls. */
  readonly allow: readonly string[];
}

/**
 * The part of a tool plugin that reads calls of its tools: it describes what they touch, so that rules can be matched
 * with it. It decides nothing.
 */
export interface CallMatcher {
  /** The words that rules may use, besides the names of the tools. */
  readonly subjects: readonly string[];
  /** Returns the names of the tools whose calls it reads. */
  readonly tools: () => readonly string[];
  /** Returns advice for a pattern that cannot be used; undefined for any other. */
  readonly advise: (pattern: string) => string | undefined;
  /**
   * Returns true if `wider` surely allows everything that `pattern` allows. Without this method, a pattern is within
   * equal patterns only.
   */
  readonly within?: (pattern: string, wider: string) => boolean;
  /** The patterns in the plugin's own options, which stand for rules about calls of these tools. */
  readonly own?: OwnRules;
  /** Returns, for people, what a pattern in `allow` permits beyond what it seems to; undefined if nothing. */
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
