import type { PlainCommand } from '../line/plain-line.ts';
import { mayBeAnOption, type PlainWord } from '../line/plain-word.ts';
import { fitsReader, type Reader } from './reader.ts';

/** Tests and actions without a value. */
const alone = new Set(
  '( ) ! , -a -and -o -or -not -depth -d -empty -executable -readable -writable -false -true -follow -ls -mount -xdev -noleaf -nogroup -nouser -print -print0 -prune -quit -daystart -nowarn -warn -ignore_readdir_race -H -L -P'.split(
    ' ',
  ),
);

/** Options with a value in the next word. */
const valued = new Set(
  '-amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -newermt -path -perm -printf -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype'.split(
    ' ',
  ),
);

/** A name that find fills in: it begins with a directory that was given, or with `./`. */
const found: PlainWord = { text: './*', isOpen: true, isMany: true };

/**
 * Returns the reader for options and expressions of find that only read. `-exec` is one of them for a program in
 * `programs` whose reader allows the command.
 */
export function findReader(programs: () => ReadonlyMap<string, Reader>): Reader {
  return {
    walks: true,
    fits: (words) => {
      for (let at = 0; at < words.length; at += 1) {
        const word = words[at];
        if (word === undefined || mayBeAnOption(word)) return false;
        const { text } = word;
        if (text === '-exec') {
          const end = words.findIndex((word, index) => index > at && /^[;+]$/.test(word.text));
          // Elsewhere than after `{}`, a plus is an argument of the program, and so is what follows it.
          const isArgument = words[end]?.text === '+' && words[end - 1]?.text !== '{}';
          if (end === -1 || isArgument || !mayExecute(words.slice(at + 1, end), programs())) return false;
          at = end;
        } else if (valued.has(text)) {
          at += 1;
          if (words[at]?.isOpen !== false) return false;
        } else if (!alone.has(text) && text.startsWith('-')) return false;
      }
      return true;
    },
  };
}

function mayExecute([program, ...args]: PlainCommand, programs: ReadonlyMap<string, Reader>): boolean {
  const reader =
    program?.isOpen === false && program.text !== 'find' ? programs.get(program.text) : undefined;
  const filled = args.map((word) => (word.text === '{}' ? found : word));
  return (
    reader !== undefined && !filled.some(({ text }) => text.includes('{}')) && fitsReader(reader, filled)
  );
}
