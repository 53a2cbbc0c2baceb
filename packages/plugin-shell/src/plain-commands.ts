import type { Command, PipelineNode, Redirection, Script, Word, WordPart } from 'unbash';

/**
 * The commands of a line that consists of nothing but commands: programs and arguments as they are written, joined by
 * `;`, line feeds, `&&`, `||` and `|`. Undefined for any other line: expansions, assignments, redirects to files,
 * comments, keywords, jobs in the background. `script` is what the parser makes of the line, without errors.
 */
export function plainCommands(line: string, script: Script): readonly (readonly string[])[] | undefined {
  const commands = script.commands.map(({ command, background }) =>
    background === true ? undefined : commandsOf(command),
  );
  const plain: string[][] = [];
  const spans: Span[] = [];
  for (const command of commands.flat()) {
    if (command?.name === undefined || !command.redirects.every(isHarmless)) return undefined;
    const words: Word[] = [command.name];
    for (const argument of command.args) {
      if (argument.type !== 'Word') return undefined;
      words.push(argument);
    }
    if (!words.every(isPlainWord)) return undefined;
    if (command.prefix.some(({ type }) => type === 'Assignment')) return undefined;
    plain.push(words.map(({ value }) => value));
    spans.push(...words, ...command.redirects);
  }
  return plain.length > 0 && isOnlyJoined(line, spans) ? plain : undefined;
}

interface Span {
  readonly pos: number;
  readonly end: number;
}

function commandsOf(node: PipelineNode | Script['commands'][number]['command']): (Command | undefined)[] {
  switch (node.type) {
    case 'Command':
      return [node];
    case 'AndOr':
      return node.commands.flatMap(commandsOf);
    case 'Pipeline':
      return node.prefixes.length > 0 || node.operators.some((operator) => operator !== '|')
        ? [undefined]
        : node.commands.flatMap(commandsOf);
    default:
      return [undefined];
  }
}

/** `2>&1`, and what goes to or comes from `/dev/null`. */
function isHarmless(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.descriptor?.type === 'FileDescriptorVariable') return false;
  const target = redirect.target?.text;
  if (redirect.operator === '>&') return target === '1' || target === '2';
  return ['>', '>>', '<'].includes(redirect.operator) && target === '/dev/null';
}

/** Characters that cannot be seen, or that look like a space. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;

/** Characters that mean themselves outside of quotes; `~` and `^` do so only inside of a word. */
const unquoted = /^(?:[\p{L}\p{M}\p{N}_./:=@%+,-]|(?<=[\p{L}\p{N}_^~])[~^]|\\[\x20-\x7e])+$/u;

function isPlainWord({ text, value, parts }: Word): boolean {
  if (unseen.test(value.replaceAll(/[\n\t]/g, ''))) return false;
  return parts === undefined ? unquoted.test(text) : parts.every(isPlainPart);
}

function isPlainPart(part: WordPart): boolean {
  if (part.type === 'SingleQuoted') return true;
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal');
  return part.type === 'Literal' && unquoted.test(part.text);
}

/**
 * Tells whether only spaces and operators that join commands stand between the words. The parser must not have skipped anything
 * that a shell would read.
 */
function isOnlyJoined(line: string, spans: readonly Span[]): boolean {
  let at = 0;
  for (const { pos, end } of [...spans, { pos: line.length, end: line.length }].toSorted(
    (a, b) => a.pos - b.pos,
  )) {
    if (pos < at || !/^(?:[ \t\n]|\\\n)*(?:;|&&|\|\|?)?(?:[ \t\n]|\\\n)*$/.test(line.slice(at, pos)))
      return false;
    at = end;
  }
  return true;
}
