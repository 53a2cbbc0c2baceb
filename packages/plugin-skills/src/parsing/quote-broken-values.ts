import type { Position } from './position.ts';

/** The maximum number of missing quotes to add. */
const maxPlaces = 50;

/** A key with a value in its line: `description: Use when: the user asks`. */
const entry = /^(\s*)([\w.-]+)([ \t]*:[ \t]+)(\S.*)$/;

/** The head of a block of text: `|`, `>-`, `|2+`. */
const blockHead = /^[|>][+\-\d]{0,2}\s*(?:#.*)?$/;

/** A value that lacked quotes. */
interface QuotedValue {
  readonly key: string;
  readonly at: Position;
}

/**
 * Puts quotes around each value that breaks the YAML of its own entry because it lacks them; lines keep their
 * numbers. `isBroken` returns whether a text is invalid YAML.
 */
export function quoteBrokenValues(
  text: string,
  isBroken: (text: string) => boolean,
): { readonly text: string; readonly places: readonly QuotedValue[] } {
  const lines = text.split('\n');
  const quoted: string[] = [];
  const places: QuotedValue[] = [];
  for (let index = 0; index < lines.length;) {
    const [line = '', indent = '', key = '', colon = '', value = ''] = entry.exec(lines[index] ?? '') ?? [];
    // Lines that are not entries are left alone; a block of text is taken as a whole.
    const own = 1 + (line === '' ? 0 : continuation(lines, index + 1, indent.length));
    const taken = lines.slice(index, index + own);
    index += own;
    if (line === '' || places.length === maxPlaces || blockHead.test(value) || !isBroken(taken.join('\n'))) {
      quoted.push(...taken);
      continue;
    }
    const whole = [value, ...taken.slice(1)].map((part) => part.trim()).filter((part) => part !== '');
    const column = indent.length + key.length + colon.length + 1;
    places.push({ key, at: { line: index - own + 1, column } });
    quoted.push(`${indent}${key}${colon}${JSON.stringify(whole.join(' '))}`, ...taken.slice(1).map(() => ''));
  }
  return { text: quoted.join('\n'), places };
}

/** Counts the lines from a place on that are blank or indented further than a key. */
function continuation(lines: readonly string[], from: number, indent: number): number {
  let count = 0;
  for (const line of lines.slice(from)) {
    if (line.trim() !== '' && line.length - line.trimStart().length <= indent) break;
    count += 1;
  }
  return count;
}
