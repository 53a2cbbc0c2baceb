import type { PlainCommand } from '../line/plain-line.ts';
import { fitsReader, type Arguments, type Reader } from './reader.ts';

const listing: Reader = {
  short: 'tvf:zjJa',
  long: 'list verbose file= gzip bzip2 xz zstd auto-compress wildcards exclude= show-transformed-names version help',
  check: ({ options }: Arguments) =>
    options.some(({ name }) => name === '-t' || name === '--list') &&
    // A name with a colon is on another machine, which tar reaches by executing a program.
    options.every(({ value }) => value === undefined || (!value.isOpen && !value.text.includes(':'))),
};

/** Lists what is in an archive: `tar tf a.tar`, `tar -tzf a.tgz`. */
export const tarReader: Reader = {
  fits: ([first, ...rest]: PlainCommand) => {
    if (first === undefined) return false;
    // Without a dash, values follow the letters; of these only `f` has one.
    const isOld = /^[tvzjJa]*f?[tvzjJa]*$/.test(first.text) && !first.isOpen;
    const letters = first.text.replace('f', '') + (first.text.includes('f') ? 'f' : '');
    return fitsReader(listing, isOld ? [{ ...first, text: `-${letters}` }, ...rest] : [first, ...rest]);
  },
};
