import type { PlainCommand } from '../line/plain-line.ts';
import { mayBeAnOption, type PlainWord } from '../line/plain-word.ts';

/** The arguments of a command, as `getopt` takes them apart. */
export interface Arguments {
  readonly options: readonly GivenOption[];
  readonly operands: readonly PlainWord[];
}

export interface GivenOption {
  /** The option as it is listed: `-n`, or `--lines`. */
  readonly name: string;
  readonly value: PlainWord | undefined;
}

/** Options and operands with which a program only reads. Those that are not listed are not allowed. */
export interface Reader {
  /** Short options as for `getopt`: a letter; with `:`, one that takes a value; with `::`, one that may have it attached. */
  readonly short?: string;
  /** Long options, separated by spaces: `all`; with `=`, one that takes a value; with `[=]`, one that may have it attached. */
  readonly long?: string;
  /**
   * True if no option of any version of the program executes or writes anything, so that an operand that turns out to
   * be an option does no harm.
   */
  readonly isInert?: true;
  /** The most operands it may get; options come before them. */
  readonly maxOperands?: number;
  /** True for a program that walks through directories; or the options that make it do so. */
  readonly walks?: true | readonly string[];
  /** Checks the values of options, and the operands. */
  readonly check?: (args: Arguments) => boolean;
  /** Checks the words after the program instead of the members above, because its options are not those of `getopt`. */
  readonly fits?: (words: PlainCommand) => boolean;
}

/** Returns the arguments of a command; undefined if an option is not listed, or a word may turn out to be one. */
export function readArguments(reader: Reader, words: PlainCommand): Arguments | undefined {
  const [short, long] = [shortOptions(reader.short ?? ''), longOptions(reader.long ?? '')];
  const options: GivenOption[] = [];
  const operands: PlainWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined || (mayBeAnOption(word) && reader.isInert !== true)) return undefined;
    const { text } = word;
    if (text === '--') {
      const rest = words.slice(at + 1);
      // Another version may take the dashes for the value of an option.
      if (reader.isInert !== true && rest.some((each) => isDashed(each) || mayBeAnOption(each)))
        return undefined;
      operands.push(...rest);
      break;
    }
    if (!isDashed(word)) {
      operands.push(word);
      // Options after the first operand would be operands, too.
      if (reader.maxOperands !== undefined) operands.push(...words.slice(at + 1));
      if (reader.maxOperands !== undefined) break;
      continue;
    }
    const read = text.startsWith('--') ? readLong(word, long) : readShort(word, short);
    if (read === undefined) return undefined;
    const last = read.at(-1);
    if (last?.value === undefined && last?.kind === 'needed') {
      at += 1;
      const value = words[at];
      // Another version may expect no value here, and take the word as an option.
      if (value === undefined || ((mayBeAnOption(value) || isDashed(value)) && reader.isInert !== true))
        return undefined;
      options.push(...read.slice(0, -1), { name: last.name, value });
    } else options.push(...read);
  }
  return { options, operands };
}

/** Returns true if a command has only what its reader lists. */
export function fitsReader(reader: Reader, words: PlainCommand): boolean {
  if (reader.fits !== undefined) return reader.fits(words);
  const args = readArguments(reader, words);
  if (args === undefined) return false;
  if (
    reader.maxOperands !== undefined &&
    (args.operands.length > reader.maxOperands || args.operands.some(({ isMany }) => isMany))
  )
    return false;
  return reader.check === undefined || reader.check(args);
}

type ValueKind = 'none' | 'needed' | 'attached';

interface ReadOption extends GivenOption {
  readonly kind: ValueKind;
}

function isDashed({ text }: PlainWord): boolean {
  return /^-./s.test(text);
}

function readLong(
  { text, ...how }: PlainWord,
  known: ReadonlyMap<string, ValueKind>,
): readonly ReadOption[] | undefined {
  const [name = '', ...rest] = text.split('=');
  const kind = known.get(name.slice(2));
  const value = rest.length === 0 ? undefined : { ...how, text: rest.join('=') };
  if (kind === undefined || (kind === 'none' && value !== undefined)) return undefined;
  return [{ name, value, kind }];
}

/**
 * Reads a cluster of short options: letters without values, then perhaps one whose value is the rest. Undefined if one is
 * not listed.
 */
function readShort(
  { text, ...how }: PlainWord,
  known: ReadonlyMap<string, ValueKind>,
): readonly ReadOption[] | undefined {
  const options: ReadOption[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    const kind = known.get(letter);
    if (kind === undefined) return undefined;
    const rest = text.slice(at + 1);
    const value = kind === 'none' || rest === '' ? undefined : { ...how, text: rest };
    options.push({ name: `-${letter}`, value, kind });
    if (value !== undefined) break;
  }
  return options;
}

function shortOptions(listed: string): ReadonlyMap<string, ValueKind> {
  return new Map(
    [...listed.matchAll(/([^:])(:{0,2})/g)].map(([, letter = '', colons]) => [
      letter,
      colons === ':' ? 'needed' : colons === '::' ? 'attached' : 'none',
    ]),
  );
}

function longOptions(listed: string): ReadonlyMap<string, ValueKind> {
  return new Map(
    listed.split(' ').map((option) => {
      const [, name = '', value] = /^([^=[]+)(=|\[=\])?$/.exec(option) ?? [];
      return [name, value === '=' ? 'needed' : value === '[=]' ? 'attached' : 'none'];
    }),
  );
}
