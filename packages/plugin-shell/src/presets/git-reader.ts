import type { PlainCommand } from '../line/plain-line.ts';
import type { PlainWord } from '../line/plain-word.ts';
import { fitsReader, readArguments, type Arguments, type Reader } from './reader.ts';

const diffShort = 'pusU:RabwWzB::M::C::D:l:S:G:X::0123456789';
const diffLong =
  'patch no-patch unified= raw patch-with-raw patch-with-stat stat[=] numstat shortstat dirstat[=] summary name-only name-status ' +
  'cached staged merge-base color[=] no-color color-moved[=] no-color-moved color-words[=] word-diff[=] word-diff-regex= full-index binary abbrev[=] ' +
  'diff-filter= find-renames[=] find-copies[=] find-copies-harder no-renames minimal patience histogram diff-algorithm= ' +
  'ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines ignore-cr-at-eol ignore-matching-lines= inter-hunk-context= ' +
  'function-context exit-code quiet no-ext-diff no-textconv ignore-submodules[=] submodule[=] relative[=] text check no-prefix compact-summary ' +
  'pickaxe-all pickaxe-regex indent-heuristic no-indent-heuristic src-prefix= dst-prefix= no-index';
const logLong =
  'oneline graph all branches[=] tags[=] remotes[=] glob= exclude= decorate[=] no-decorate format= pretty[=] date= relative-date abbrev-commit no-abbrev-commit ' +
  'since= after= until= before= author= committer= grep= invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp all-match max-count= skip= ' +
  'follow first-parent merges no-merges min-parents= max-parents= reverse date-order topo-order author-date-order no-walk source left-right cherry-pick cherry-mark cherry ' +
  'cc combined-diff-merges diff-merges= m no-notes simplify-by-decoration full-history ancestry-path boundary walk-reflogs count left-only right-only stdin-none no-patch parents children encoding= full-diff log-size mailmap no-mailmap no-show-signature';
const log: Reader = { short: `${diffShort}n:L:gciEFPmqt`, long: `${diffLong} ${logLong}` };

const onlyWith =
  (needed: RegExp) =>
  ({ options }: Arguments): boolean =>
    options.some(({ name }) => needed.test(name));

const onlyListed =
  (needed: RegExp) =>
  (args: Arguments): boolean =>
    args.operands.length === 0 || onlyWith(needed)(args);

/** Returns a reader for arguments that begin with one of these words, and whose rest another reader allows. */
const first = (word: RegExp, reader: Reader): Reader => ({
  fits: ([name, ...rest]) =>
    name !== undefined && !name.isOpen && word.test(name.text) && fitsReader(reader, rest),
});

const either = (...readers: readonly Reader[]): Reader => ({
  fits: (words) => readers.some((reader) => fitsReader(reader, words)),
});

/**
 * Commands of git that only read, with the options and operands that they may get. None of these options executes or
 * writes anything.
 */
const commands: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'blame',
    {
      short: 'L:bcCefhlMnpstwS:',
      long: 'root show-stats incremental porcelain line-porcelain date= since= ignore-rev= abbrev= score-debug show-name show-number show-email minimal',
    },
  ],
  [
    'branch',
    {
      short: 'arvlqi',
      long: 'all remotes verbose list show-current contains[=] no-contains[=] merged[=] no-merged[=] sort= format= points-at= color[=] no-color column[=] no-column abbrev[=] no-abbrev ignore-case',
      check: onlyListed(/^(?:-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at)$/),
    },
  ],
  ['cat-file', { short: 'pste', long: 'batch-none allow-unknown-type' }],
  ['check-ignore', { short: 'vqn', long: 'verbose quiet non-matching no-index' }],
  ['cherry', { short: 'v', long: 'abbrev[=]' }],
  [
    'config',
    either(
      {
        short: 'lz',
        long: 'list get get-all get-regexp get-urlmatch global local system worktree show-origin show-scope name-only null type= bool int path includes no-includes default=',
        check: onlyWith(/^(?:-l|--list|--get|--get-all|--get-regexp|--get-urlmatch)$/),
      },
      first(/^(?:list|get)$/, {
        long: 'all show-origin show-scope global local system name-only',
        short: 'z',
      }),
    ),
  ],
  ['count-objects', { short: 'vH', long: 'verbose human-readable' }],
  [
    'describe',
    {
      long: 'all tags contains abbrev[=] candidates= exact-match long match= exclude= always first-parent dirty[=] broken[=]',
    },
  ],
  ['diff', { short: diffShort, long: diffLong }],
  ['diff-tree', { short: `${diffShort}rtcmsv`, long: `${diffLong} no-commit-id root` }],
  [
    'for-each-ref',
    {
      long: 'count= sort= format= contains[=] no-contains[=] merged[=] no-merged[=] points-at= color[=] ignore-case',
    },
  ],
  [
    'grep',
    {
      short: 'acEFGhHiIlLnPpqrvVwWe:f:A:B:C:m:z0123456789',
      long: 'cached recurse-submodules text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches name-only files-without-match only-matching count color[=] no-color break heading show-function context= after-context= before-context= function-context max-depth= max-count= threads= all-match and or not quiet null',
    },
  ],
  ['help', { short: 'ag', long: 'all guides', maxOperands: 0 }],
  ['log', log],
  [
    'ls-files',
    {
      short: 'cdmoikstuvzfx:X:',
      long: 'cached deleted modified others ignored stage unmerged killed directory no-empty-directory eol deduplicate exclude= exclude-from= exclude-standard error-unmatch full-name recurse-submodules abbrev[=] format= debug',
    },
  ],
  [
    'ls-tree',
    { short: 'drtlz', long: 'long name-only name-status object-only full-name full-tree abbrev[=] format=' },
  ],
  ['merge-base', { short: 'a', long: 'all octopus independent is-ancestor fork-point' }],
  ['name-rev', { long: 'tags refs= exclude= all name-only no-undefined always' }],
  [
    'reflog',
    either(
      {
        ...log,
        check: ({ operands: [word] }) =>
          word === undefined || (!word.isOpen && /[@~^/]|^HEAD$/.test(word.text)),
      },
      first(/^show$/, log),
    ),
  ],
  [
    'remote',
    either({ short: 'v', long: 'verbose', maxOperands: 0 }, first(/^get-url$/, { long: 'all push' })),
  ],
  ['rev-list', { short: 'n:', long: `${logLong} objects` }],
  [
    'rev-parse',
    {
      short: 'q',
      long: 'verify quiet short[=] abbrev-ref[=] symbolic symbolic-full-name all branches[=] tags[=] remotes[=] show-toplevel show-prefix show-cdup show-superproject-working-tree git-dir absolute-git-dir git-common-dir git-path is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository show-object-format local-env-vars',
    },
  ],
  [
    'shortlog',
    {
      short: 'censw::',
      long: 'numbered summary email format= date= group= committer since= after= until= before= author= grep= no-merges merges all',
    },
  ],
  ['show', log],
  ['show-ref', { short: 'dqs', long: 'head heads branches tags verify quiet dereference hash[=] abbrev[=]' }],
  [
    'stash',
    either(
      first(/^list$/, log),
      first(/^show$/, { ...log, long: `${log.long ?? ''} include-untracked only-untracked` }),
    ),
  ],
  [
    'status',
    {
      short: 'sbvzu::',
      long: 'short branch show-stash porcelain[=] long verbose untracked-files[=] ignore-submodules[=] ignored[=] column[=] no-column ahead-behind no-ahead-behind renames no-renames find-renames[=] null',
    },
  ],
  ['symbolic-ref', { short: 'q', long: 'short quiet', maxOperands: 1 }],
  [
    'tag',
    {
      short: 'ln::i',
      long: 'list sort= format= contains[=] no-contains[=] merged[=] no-merged[=] points-at= color[=] column[=] no-column ignore-case',
      check: onlyListed(/^(?:-l|-n|--list|--contains|--no-contains|--merged|--no-merged|--points-at)$/),
    },
  ],
  ['var', { maxOperands: 1 }],
  ['version', { long: 'build-options' }],
  ['whatchanged', log],
  ['worktree', first(/^list$/, { short: 'vz', long: 'porcelain verbose' })],
]);

/** The reader for git in the preset `git-reading`. */
export const gitReader: Reader = {
  fits: (words: PlainCommand) => {
    const at = commandIndex(words);
    if (at >= words.length) return words.length === 1 && words[0]?.text === '--version';
    const [command, ...rest] = words.slice(at);
    const reader = command?.isOpen === false ? commands.get(command.text) : undefined;
    return (
      reader !== undefined && !words.slice(0, at).some(({ isOpen }) => isOpen) && fitsReader(reader, rest)
    );
  },
};

/**
 * Returns the position of the command, after the options of git itself. The word after `-C` is a directory, whatever
 * it looks like.
 */
function commandIndex(words: PlainCommand): number {
  let at = 0;
  for (;;) {
    const text = words[at]?.text ?? '';
    if (!/^(?:-C|-P|--no-pager|--no-optional-locks|--literal-pathspecs|--version)$/.test(text)) return at;
    at += text === '-C' ? 2 : 1;
  }
}

/** Returns the directories that git enters first: `git -C DIRECTORY`. */
export function entered(words: PlainCommand): PlainCommand {
  return words.slice(0, commandIndex(words)).filter((_, index) => words[index - 1]?.text === '-C');
}

/**
 * Returns the operands of `git diff` if there are two, or words that may become two: outside of a repository, and with
 * `--no-index`, it compares them as files and directories. Undefined for any other command.
 */
export function compared(words: PlainCommand): readonly PlainWord[] | undefined {
  const [command, ...rest] = words.slice(commandIndex(words));
  const reader = command?.text === 'diff' ? commands.get('diff') : undefined;
  const operands = (reader && readArguments(reader, rest)?.operands) ?? [];
  return operands.length === 2 || operands.some(({ isMany }) => isMany) ? operands : undefined;
}

/** Commands that change something if they get other words than those that are listed. */
const changing = new Set('branch config reflog remote stash symbolic-ref tag worktree'.split(' '));

/** Returns true for a command of git that only reads, whatever its operands, apart from some of its options. */
export function isPlainGitReader(words: PlainCommand): boolean {
  const name = words[commandIndex(words)]?.text ?? '';
  return commands.has(name) && !changing.has(name);
}
