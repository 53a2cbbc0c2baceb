import type { PlainCommand } from '../line/plain-line.ts';
import { awkReads } from './awk-reads.ts';
import { findReader } from './find-reader.ts';
import type { Arguments, Reader } from './reader.ts';
import { sedReads } from './sed-reads.ts';
import { tarReader } from './tar-reader.ts';

const help = 'help version';
const colors = 'color[=] colour[=]';

/** Programs that print what is in their arguments, or about the machine; no option of them executes or writes anything. */
const inert: Readonly<Record<string, Omit<Reader, 'isInert'>>> = {
  basename: { short: 'as:z', long: `multiple suffix= zero ${help}` },
  cat: {
    short: 'AbeEnstTuv',
    long: `show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting ${help}`,
  },
  cmp: { short: 'bi:ln:s', long: `print-bytes ignore-initial= verbose bytes= quiet silent ${help}` },
  comm: { short: '123z', long: `check-order nocheck-order output-delimiter= total zero-terminated ${help}` },
  cut: {
    short: 'b:c:d:f:ns',
    long: `bytes= characters= delimiter= fields= complement only-delimited output-delimiter= ${help}`,
  },
  df: { short: 'aBhHiklmPT', long: `all human-readable inodes local portability print-type total ${help}` },
  diff: {
    short: 'abBcC:dEF:iI:NqrsS:tTuU:wW:xX:yZ',
    long:
      'brief unified[=] context[=] recursive report-identical-files side-by-side width= left-column ' +
      'suppress-common-lines show-function-line= show-c-function label= expand-tabs new-file text ' +
      'ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ' +
      `ignore-matching-lines= strip-trailing-cr minimal speed-large-files exclude= no-dereference ${colors} ${help}`,
    walks: ['-r', '--recursive'],
  },
  dirname: { short: 'z', long: `zero ${help}` },
  du: {
    short: 'aBbcDd:hHkLlmPSst:x0',
    long: `all apparent-size block-size= bytes total dereference max-depth= human-readable si inodes summarize separate-dirs one-file-system exclude= threshold= time[=] null ${help}`,
    walks: true,
  },
  echo: { fits: () => true },
  expand: { short: 'it:', long: `initial tabs= ${help}` },
  expr: {},
  factor: {},
  false: {},
  fmt: {
    short: 'cstup:w:g:',
    long: `crown-margin split-only tagged-paragraph uniform-spacing width= goal= prefix= ${help}`,
  },
  fold: { short: 'bsw:', long: `bytes spaces width= ${help}` },
  groups: {},
  head: { short: 'c:n:qvz0123456789', long: `bytes= lines= quiet silent verbose zero-terminated ${help}` },
  hexdump: {
    short: 'bcCde:n:os:vx',
    long: 'canonical length= skip= no-squeezing one-byte-octal one-byte-char two-bytes-hex',
  },
  id: { short: 'agGnruz', long: `group groups name real user zero ${help}` },
  join: { short: '1:2:a:e:ij:o:t:v:z', long: help },
  jq: {
    short: 'acCejMnrsS',
    long: 'compact-output color-output monochrome-output exit-status join-output null-input raw-output raw-input slurp sort-keys tab indent arg argjson args jsonargs stream seq ascii-output version help',
  },
  ls: {
    short: '1aAbBcCdfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ',
    long:
      'all almost-all author escape block-size= ignore-backups directory dired classify[=] file-type format= full-time ' +
      'group-directories-first no-group human-readable si dereference dereference-command-line hide= hyperlink[=] indicator-style= inode ignore= ' +
      `kibibytes literal hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= width= context ${colors} ${help}`,
    walks: ['-R', '--recursive'],
  },
  nl: {
    short: 'b:d:f:h:i:l:n:ps:v:w:',
    long: `body-numbering= number-format= number-separator= number-width= starting-line-number= line-increment= ${help}`,
  },
  nproc: { long: `all ignore= ${help}` },
  od: {
    short: 'abcdfhilosxvA:j:N:S:t:w::',
    long: `address-radix= skip-bytes= read-bytes= strings[=] format= output-duplicates width[=] endian= ${help}`,
  },
  paste: { short: 'd:sz', long: `delimiters= serial zero-terminated ${help}` },
  printenv: { short: '0', long: `null ${help}` },
  pwd: { short: 'LP' },
  readlink: {
    short: 'efmnqsvz',
    long: `canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero ${help}`,
  },
  realpath: {
    short: 'eLmPqsz',
    long: `canonicalize-existing canonicalize-missing logical physical quiet relative-to= relative-base= strip no-symlinks zero ${help}`,
  },
  rev: { long: help },
  seq: { short: 'f:s:w', long: `format= separator= equal-width ${help}` },
  sha1sum: { short: 'bctwz', long: `binary check tag text quiet status strict warn zero ${help}` },
  shasum: { short: 'a:bctUw', long: 'algorithm= binary check text quiet status warn version help' },
  sleep: {},
  stat: { short: 'c:fLtx', long: `dereference file-system format= printf= terse ${help}` },
  strings: {
    short: 'adfn:t:owe:',
    long: `all data print-file-name bytes= radix= encoding= include-all-whitespace ${help}`,
  },
  tac: { short: 'brs:', long: `before regex separator= ${help}` },
  tail: { short: 'c:n:qvz0123456789', long: `bytes= lines= quiet silent verbose zero-terminated ${help}` },
  tr: { short: 'cCdst', long: `complement delete squeeze-repeats truncate-set1 ${help}` },
  true: {},
  uname: {
    short: 'amnoprsv',
    long: `all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system ${help}`,
  },
  unexpand: { short: 'at:', long: `all first-only tabs= ${help}` },
  uptime: { short: 'psV', long: 'pretty since version help' },
  wc: { short: 'clLmw', long: `bytes chars lines max-line-length words ${help}` },
  which: { short: 'as', long: 'all' },
  whoami: { long: help },
};

const grep: Reader = {
  short: 'A:aB:bC:cd:D:Ee:f:FGHhIiLlm:noPqRrsTUuVvwxyzZ0123456789',
  long:
    'extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case word-regexp line-regexp null-data ' +
    'no-messages invert-match max-count= byte-offset line-number line-buffered with-filename no-filename label= only-matching ' +
    'quiet silent binary-files= text directories= devices= recursive dereference-recursive include= exclude= exclude-from= exclude-dir= ' +
    `files-without-match files-with-matches count initial-tab null before-context= after-context= context= ${colors} ${help}`,
  isInert: true,
  walks: ['-r', '-R', '-d', '--recursive', '--dereference-recursive', '--directories'],
};

const sums: Reader = { ...inert['sha1sum'], isInert: true };

/**
 * Programs that only read files with the options that are listed. Others of their options may execute programs, or
 * write.
 */
const careful: Readonly<Record<string, Reader>> = {
  '[': { fits: (words) => words.at(-1)?.text === ']' && tests(words.slice(0, -1).map(({ text }) => text)) },
  ag: {
    short: 'A:B:C:cFfG:g:iHhlLm:nQqrRsSuUvwz0',
    long: 'after= before= context= count literal fixed-strings file-search-regex= ignore-case files-with-matches files-without-matches max-count= numbers nonumbers only-matching hidden ignore= depth= case-sensitive smart-case word-regexp nocolor color nogroup group noheading heading ts js html python go rust',
    walks: true,
  },
  awk: {
    short: 'F:v:',
    long: 'field-separator= assign=',
    check: ({ operands: [program] }) => isKnown(program) && awkReads(program.text),
  },
  column: {
    short: 'c:to:s:xN:R:',
    long: 'table separator= output-separator= output-width= table-columns= table-right= help version',
  },
  command: { short: 'vV', check: ({ options }) => options.length > 0 },
  date: {
    short: 'd:r:RuI::',
    long: `date= reference= iso-8601[=] rfc-email rfc-3339= universal utc ${help}`,
    check: ({ operands }) => operands.every(({ text, isMany }) => text.startsWith('+') && !isMany),
  },
  fd: {
    short: '0ac:d:e:E:FgHIiLpsS:t:uV1',
    long: 'hidden no-ignore unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path follow full-path max-depth= min-depth= exact-depth= exclude= prune type= extension= size= changed-within= changed-before= max-results= print0 strip-cwd-prefix color= help version',
    walks: true,
  },
  env: { fits: (words) => words.length === 0 },
  file: {
    short: 'bhiLNrk0',
    long: 'brief mime mime-type mime-encoding dereference no-dereference no-pad raw keep-going print0 help version',
  },
  find: findReader(() => readingPrograms),
  gunzip: { short: 'clt', check: ({ options }) => options.length > 0 },
  hostname: {
    short: 'AdfiIsy',
    long: 'all-fqdns domain fqdn long ip-address all-ip-addresses short help version',
    maxOperands: 0,
  },
  ps: { fits: psArguments },
  printf: { check: ({ options }) => options.length === 0 },
  rg: {
    short: '.0A:B:C:ce:E:F:f:g:hHiIj:lLM:m:nNoPpqr:sSt:T:uUvVwx',
    long:
      'after-context= before-context= context= count count-matches regexp= encoding= fixed-strings file= glob= iglob= ignore-case smart-case case-sensitive ' +
      'line-number no-line-number files-with-matches files-without-match max-columns= max-columns-preview max-count= max-depth= multiline multiline-dotall ' +
      'only-matching pcre2 pretty quiet replace= type= type-not= type-list unrestricted invert-match word-regexp line-regexp files hidden no-hidden no-ignore no-ignore-vcs ' +
      'follow no-follow heading no-heading with-filename no-filename json color= colors= column no-column vimgrep passthru sort= sortr= stats text trim null ' +
      'threads= max-filesize= one-file-system no-config no-messages crlf binary line-buffered help version',
    walks: true,
  },
  sed: {
    short: 'nErsuze:',
    long: 'quiet silent regexp-extended expression= separate unbuffered null-data debug posix help version',
    check: sedArguments,
  },
  sort: {
    short: 'bcCdfghik:MmnRrS:st:uVz',
    long: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort month-sort numeric-sort random-sort reverse sort= version-sort check[=] key= merge stable field-separator= unique zero-terminated buffer-size= parallel= debug ${help}`,
  },
  tar: tarReader,
  test: { fits: (words) => tests(words.map(({ text }) => text)) },
  tree: {
    short: 'aACdDfFghiI:lL:nNpP:qrstuvx',
    long: 'noreport dirsfirst du si prune filelimit= gitignore matchdirs ignore-case sort[=] charset= inodes device help version',
    walks: true,
  },
  type: { short: 'afpPt' },
  uniq: {
    short: 'cdDf:is:uw:z',
    long: `count repeated all-repeated[=] skip-fields= group[=] ignore-case skip-chars= unique zero-terminated check-chars= ${help}`,
    maxOperands: 1,
  },
  unzip: { short: 'lvZ1t', check: ({ options }) => options.some(({ name }) => /^-[lvZt]$/.test(name)) },
  xxd: { short: 'abc:Ceg:il:o:pu', maxOperands: 1 },
  zcat: {},
};

/**
 * Programs that print their version if this is all they get. Programs of which a directory may choose the version,
 * such as `yarn`, `pnpm`, `cargo` and `go`, are not among them.
 */
const versions: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    [
      'node',
      'npm',
      'bun',
      'deno',
      'tsc',
      'ruby',
      'rg',
      'fd',
      'docker',
      'uv',
      'pip',
      'pip3',
      'jq',
      'make',
      'gcc',
      'clang',
      'cmake',
      'php',
    ].map((name) => [name, /^(?:--version|-v|-V)$/]),
  ),
  python: /^(?:--version|-V)$/,
  python3: /^(?:--version|-V)$/,
  java: /^-{1,2}version$/,
  bash: /^--version$/,
};

/** The readers for the programs of the preset `reading`. */
export const readingPrograms: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...Object.entries(versions).map(([name, option]): [string, Reader] => [
    name,
    {
      fits: ([word, ...more]) =>
        word !== undefined && more.length === 0 && !word.isOpen && option.test(word.text),
    },
  ]),
  ...Object.entries(inert).map(([name, reader]): [string, Reader] => [name, { ...reader, isInert: true }]),
  ...Object.entries(careful),
  ['fdfind', careful['fd'] ?? {}],
  ...['grep', 'egrep', 'fgrep'].map((name): [string, Reader] => [name, grep]),
  ...['md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum', 'b2sum', 'cksum'].map(
    (name): [string, Reader] => [name, sums],
  ),
]);

function isKnown<T extends { readonly isOpen: boolean }>(word: T | undefined): word is T {
  return word !== undefined && !word.isOpen;
}

function sedArguments({ options, operands: [script] }: Arguments): boolean {
  const scripts = options
    .filter(({ name }) => name === '-e' || name === '--expression')
    .map(({ value }) => value);
  return (scripts.length > 0 ? scripts : [script]).every((each) => isKnown(each) && sedReads(each.text));
}

/**
 * Returns true for arguments of `ps` that print no environment. With `e` in other places, and with `-E`, it prints
 * the environment of processes, including the agent's.
 */
function psArguments(words: PlainCommand): boolean {
  return words.every(({ text, isOpen }, index) => {
    const before = words[index - 1]?.text ?? '';
    if (isOpen || /env/i.test(text)) return false;
    if (/^-[opuCUt]$/.test(before)) return /^[\w.,=%+-]+$/.test(text);
    return /^(?:-?a?u?xf?w*|-?axu|-[eA][fFlw]*|-[opuCUtwf]|-ww|--sort=[\w,+-]+|--forest|--no-headers|\d+)$/.test(
      text,
    );
  });
}

/**
 * Returns true for tests such as `-f a.txt`, `! -d b`, `-n x` and `a = b`. Comparisons of numbers are excluded,
 * because some shells evaluate numbers as code.
 */
function tests(words: readonly string[]): boolean {
  const [first, ...rest] = words;
  if (first === '!') return tests(rest);
  if (words.length === 2) return /^-[bcdefgGhkLnOprsStuwxz]$/.test(first ?? '');
  return words.length === 1 || (words.length === 3 && /^(?:=|==|!=|-nt|-ot|-ef)$/.test(rest[0] ?? ''));
}
