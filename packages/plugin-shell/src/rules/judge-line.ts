import { parseLine } from '../line/parse-line.ts';
import { plainLine, type PlainCommand, type PlainLine } from '../line/plain-line.ts';
import { isReading } from '../presets/preset.ts';
import { covers } from './covers.ts';
import { findDenied } from './find-denied.ts';
import { mayReachProc } from './may-reach-proc.ts';
import { isMove, staysBelow } from './move.ts';
import { namesSecret } from './names-secret.ts';
import { mentions, type Rule } from './rule.ts';
import { walksOverSecrets } from './walks-over-secrets.ts';
import { wrappedCommand } from './wrapped-command.ts';

/** The verdict of the rules on a line; `unclear` if they cannot tell whether it contains a denied command. */
export type Verdict =
  | { readonly is: 'denied'; readonly rule: string }
  | { readonly is: 'allowed'; readonly rules: readonly string[] }
  | { readonly is: 'open' }
  | { readonly is: 'unclear' };

export interface LineRules {
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  /** The absolute path of the directory in which commands start, if it is known. */
  readonly root?: string | undefined;
}

/** Judges a parsed line. It is allowed only if each of its commands is, and if it contains nothing else. */
export function judgeLine(line: string, { allow, deny, root }: LineRules): Verdict {
  const script = parseLine(line);
  if (script === undefined) return { is: 'unclear' };
  const denied = findDenied(line, deny);
  if (denied === 'unclear') return { is: 'unclear' };
  if (denied !== undefined) return { is: 'denied', rule: denied.text };
  const plain = plainLine(line, script);
  if (plain === undefined || isMentioned(plain, deny)) return { is: 'open' };
  const commands = executedCommands(plain);
  const found = commands.map((command) => allow.find((rule) => coversIn(plain, rule, command, root)));
  const texts = found.flatMap((rule) => (rule === undefined ? [] : [rule.text]));
  return texts.length < commands.length ? { is: 'open' } : { is: 'allowed', rules: [...new Set(texts)] };
}

/** A line as rules see it, one at a time. */
export interface JudgedLine {
  readonly line: string;
  /** The commands of the line; undefined if the line contains anything else. */
  readonly commands: readonly PlainCommand[] | undefined;
  /** Returns whether a rule denies a command of the line; undefined if only the shell or a program can tell. */
  readonly denies: (rule: Rule) => boolean | undefined;
  /** Returns whether a rule that allows covers one of the commands. */
  readonly allows: (rule: Rule, command: PlainCommand) => boolean;
}

/** Reads a line for rules that judge it one by one. Returns undefined if the parser does not understand it. */
export function judgeCommands(line: string, root?: string): JudgedLine | undefined {
  const script = parseLine(line);
  if (script === undefined) return undefined;
  const plain = plainLine(line, script);
  const commands = plain && executedCommands(plain);
  return {
    line,
    commands,
    denies: (rule) => {
      const found = findDenied(line, [rule]);
      if (found !== undefined) return found === 'unclear' ? undefined : true;
      return plain !== undefined && isMentioned(plain, [rule]) ? undefined : false;
    },
    allows: (rule, command) => plain !== undefined && coversIn(plain, rule, command, root),
  };
}

/**
 * Returns true if a denied program is named, unless all commands only read. This is checked across commands, because
 * one may execute what another one prints.
 */
function isMentioned(plain: PlainLine, deny: readonly Rule[]): boolean {
  const words = plain.commands.flatMap((command) => command.map(({ text }) => text));
  return deny.some((rule) => mentions(rule, words)) && !executedCommands(plain).every(isReading);
}

/**
 * Returns the commands of a line as programs get them, without `cd`, unless there is nothing else, and without programs
 * that only wrap a command (`timeout 60`).
 */
function executedCommands({ commands }: PlainLine): readonly PlainCommand[] {
  const executed = commands.filter((command) => !isMove(command)).map(wrappedCommand);
  return executed.length > 0 ? executed : commands;
}

/** The results of `mayShowKeys`, because each rule asks for the same line. */
const showing = new WeakMap<PlainLine, boolean>();

/** Returns true if a line may print the environment of the agent, or what is in files with keys. */
function mayShowKeys(plain: PlainLine, root: string | undefined): boolean {
  const known = showing.get(plain);
  if (known !== undefined) return known;
  // Without a directory, no line is executed.
  const isWalk = root !== undefined && root !== '' && walksOverSecrets(plain, root);
  const shows = isWalk || mayReachProc(plain, root) || namesSecret(plain);
  showing.set(plain, shows);
  return shows;
}

function coversIn(plain: PlainLine, rule: Rule, command: PlainCommand, root: string | undefined): boolean {
  if (!covers(rule, command)) return false;
  // In another directory, a program reads other files: `npm test` is then another test.
  const isBelow = plain.commands.every((each) => !isMove(each) || staysBelow(each, root));
  if (!isBelow && !isReading(command) && !isMove(command)) return false;
  const isWide = rule.preset !== undefined || rule.text.includes('*');
  return !(isWide && mayShowKeys(plain, root));
}
