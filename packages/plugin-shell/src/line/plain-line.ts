import type { Assignment, Command, Redirection, Script, Statement, SyntaxNode, Word } from 'unbash';

import { plainWord, type Bindings, type PlainWord } from './plain-word.ts';

/** The words of a command: its program and its arguments. */
export type PlainCommand = readonly PlainWord[];

/** A line of nothing but commands. */
export interface PlainLine {
  readonly commands: readonly PlainCommand[];
  /** The files that are input of commands. */
  readonly inputs: readonly PlainWord[];
}

/** The most commands that are judged. A loop is read once for each of its words. */
const maxCommands = 400;

/**
 * Returns the commands of a line that all shells read alike, as they are executed: programs with known names, joined
 * by `;`, line feeds, `&&`, `||` and `|`, also in `if`, `for` and brackets. Comments, input from files, output to
 * `/dev/null` and variables that change how programs print are left out. Returns undefined for any other line.
 * `script` is the parsed line, without errors.
 */
export function plainLine(line: string, script: Script): PlainLine | undefined {
  const reader = new Reader();
  const isPlain = script.commands.every((statement) => reader.read(statement, new Map()));
  const { commands, inputs, spans } = reader;
  return isPlain && commands.length > 0 && isOnlyJoined(line, spans) ? { commands, inputs } : undefined;
}

class Reader {
  readonly commands: PlainCommand[] = [];
  readonly inputs: PlainWord[] = [];
  /** The positions of the words and redirects in the line, each once. */
  readonly spans = new Map<number, number>();

  /** Adds the commands of a part of the line. Returns false if it is not plain, or has too many. */
  read(node: SyntaxNode, bindings: Bindings): boolean {
    if (this.commands.length > maxCommands) return false;
    const all = (...nodes: readonly (SyntaxNode | undefined)[]): boolean =>
      nodes.every((each) => each === undefined || this.read(each, bindings));
    switch (node.type) {
      case 'Statement':
        return !isInBackground(node) && all(node.command);
      case 'Command':
        return this.#addCommand(node, bindings);
      case 'AndOr':
      case 'CompoundList':
        return all(...node.commands);
      case 'Pipeline':
        return node.operators.every((operator) => operator === '|') && all(...node.commands);
      case 'Subshell':
      case 'BraceGroup':
        return all(node.body);
      case 'Redirected':
        return this.#addRedirects(node.redirects, bindings) && all(node.command);
      case 'If':
        return all(
          node.clause,
          node.then,
          ...node.elif.flatMap((each) => [each.clause, each.then]),
          node.else,
        );
      case 'For': {
        if (node.wordlist === undefined || !/^[a-z]$|^(?:dir|file|name|pkg|test)$/.test(node.name.value))
          return false;
        this.#add(node.name);
        const words = this.#words(node.wordlist, bindings);
        return (
          words?.every((word) => this.read(node.body, new Map([...bindings, [node.name.value, word]]))) ===
          true
        );
      }
      default:
        return false;
    }
  }

  #addCommand({ name, prefix, args, redirects }: Command, bindings: Bindings): boolean {
    const assignments = prefix.filter((each) => each.type === 'Assignment');
    if (name === undefined || !assignments.every(isHarmless) || !this.#addRedirects(redirects, bindings))
      return false;
    for (const assignment of assignments) this.#add(assignment);
    const argumentWords = args.filter((argument) => argument.type === 'Word');
    const words =
      argumentWords.length < args.length ? undefined : this.#words([name, ...argumentWords], bindings);
    if (words === undefined || words[0]?.isOpen !== false) return false;
    this.commands.push(words);
    return true;
  }

  #addRedirects(redirects: readonly Redirection[], bindings: Bindings): boolean {
    return redirects.every((redirect) => {
      this.#add(redirect);
      if (redirect.type !== 'Redirect' || redirect.descriptor?.type === 'FileDescriptorVariable')
        return false;
      const { operator, target } = redirect;
      if (operator === '>&') return target?.text === '1' || target?.text === '2';
      if (target?.text === '/dev/null') return ['>', '>>', '<', '&>'].includes(operator);
      const file = target === undefined ? undefined : plainWord(target, bindings);
      if (operator !== '<' || file === undefined) return false;
      this.inputs.push(file);
      // Bash connects to hosts by /dev/tcp.
      return !file.isMany && !/^\/+dev(?:\/|$)/.test(file.text);
    });
  }

  #words(words: readonly Word[], bindings: Bindings): readonly PlainWord[] | undefined {
    const plain = words.map((word) => {
      this.#add(word);
      return plainWord(word, bindings);
    });
    const found = plain.filter((word) => word !== undefined);
    return found.length < plain.length ? undefined : found;
  }

  #add({ pos, end }: { readonly pos: number; readonly end: number }): void {
    this.spans.set(pos, end);
  }
}

function isInBackground({ background }: Statement): boolean {
  return background === true;
}

/** Variables that change how programs print, but not what they execute. */
const harmlessNames =
  /^(?:CI|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NODE_ENV|VERBOSE|DEBUG|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT)$/;

function isHarmless({ name, value, append, index }: Assignment): boolean {
  const isPlain = append !== true && index === undefined && value.type === 'Word';
  return isPlain && harmlessNames.test(name) && /^[\w.,:*@=+-]*$/.test(value.text);
}

const blank = String.raw`(?:[ \t\n]|\\\n)`;
const operator = String.raw`[;|(){}!]|&&|\b(?:if|then|elif|else|fi|for|in|do|done|time(?: -p)?)\b`;
const comment = String.raw`(?<=^|[ \t\n;&|])#[^\n]*(?=\n|$)`;
const between = new RegExp(String.raw`^(?:${blank}|${operator}|${comment})*$`);

/**
 * Returns true if only spaces, comments and operators stand between the words, so that the parser has skipped nothing
 * that a shell would read.
 */
function isOnlyJoined(line: string, spans: ReadonlyMap<number, number>): boolean {
  let at = 0;
  for (const [pos, end] of [...spans, [line.length, line.length] as const].toSorted(([a], [b]) => a - b)) {
    const text = line.slice(at, pos);
    // Right after a word, `#` belongs to it.
    if (pos < at || !between.test(text) || (at > 0 && text.startsWith('#'))) return false;
    at = end;
  }
  return true;
}
