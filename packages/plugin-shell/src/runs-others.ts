import { basename } from 'node:path';

import type { Words } from './rule.ts';

/** Programs that execute what their arguments say: any of their words may begin a command. */
const launchers = words(
  'env sudo doas su runuser setpriv chroot unshare nsenter ssh nice ionice chrt taskset nohup setsid time gtimeout ' +
    'timeout stdbuf unbuffer flock script watch entr parallel strace ltrace valgrind busybox toybox npx pnpx bunx uvx ' +
    'caffeinate pkexec fakeroot firejail bwrap prlimit cpulimit setarch linux32 linux64 chronic hyperfine systemd-run ' +
    'systemd-inhibit dbus-run-session',
);

/** Those that do so with one of these arguments only. */
const launchersWith: Readonly<Record<string, RegExp>> = {
  docker: /^(?:exec|run)$/,
  podman: /^(?:exec|run)$/,
  kubectl: /^(?:exec|run)$/,
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  bun: /^x$/,
  bundle: /^exec$/,
  uv: /^run$/,
  poetry: /^run$/,
  pipx: /^run$/,
  mise: /^(?:exec|x)$/,
  direnv: /^exec$/,
  cmake: /^-E$/,
  perf: /^(?:stat|record|trace)$/,
  tmux: /^(?:new|new-\w+|split-window|run-shell)$/,
  screen: /^-\w*m/,
  git: /^(?:bisect|foreach)$/,
};

const shells = words('sh bash rbash dash ash zsh ksh mksh yash fish');

/** Commands of the shell that execute others. */
const launchersOfTheShell = words('alias eval exec command builtin trap coproc hash');

/** Commands of the shell that change what later commands mean, or read commands from elsewhere. */
const ofTheShell = words(
  'unalias source . enable fc bind export declare typeset local readonly ' +
    'set unset shopt let complete read mapfile readarray getopts wait test [',
);

/** Programs with arguments that are code, of which a parser of shell lines knows nothing. */
const interpreter =
  /^(?:deno|bun|[gmn]?awk|g?sed|r?vim?|nvim|emacs|man|g?make|just|tar|rsync|expect|osascript|zip)$/;

/** Those that take code from their input too. */
const fedInterpreter =
  /^(?:(?:python|pypy|perl|ruby|node|php|lua)[\d.]*|ed|ex|gdb|tclsh|sqlite3|psql|mysql)$/;

/** Options by which any program executes another. GNU programs take them shortened too. */
const executingOption =
  /^--(?:pre(?:=|$)|hostname-bin|compress-p|to-c|checkpoint-a|use-comp|rsh|rsync-p|exec|extcmd|open-files|upload-pack|receive-pack)/;

/** Programs that start a shell, which reads its input, if they are given no command. */
const startsShell: ReadonlySet<string> = new Set(words('ssh su runuser chroot unshare nsenter script'));

/** The program loaders of Linux. */
const loader = /^ld(?:-linux|-musl|\.so|64\.so)/;

const shellNames: ReadonlySet<string> = new Set(shells);
const launcherNames: ReadonlySet<string> = new Set([...launchers, ...launchersOfTheShell]);
const changesShell: ReadonlySet<string> = new Set([...launchersOfTheShell, ...ofTheShell]);
const fed: ReadonlySet<string> = new Set(words('parallel at batch crontab'));
const readsLines: ReadonlySet<string> = new Set(
  words('eval trap alias ssh su runuser watch script parallel flock npx pnpx bunx hyperfine npm tmux git'),
);

/** Tells whether a command is a builtin of the shell that no rule should let through unseen. */
export function isOfTheShell(program: string, args: readonly string[]): boolean {
  return changesShell.has(program) || (program === 'printf' && args.some((word) => word.startsWith('-v')));
}

export function isShell(program: string): boolean {
  return shellNames.has(program);
}

/** Tells whether any word of a command may begin another one. */
export function launches(program: string, args: Words): boolean {
  const needed = Object.hasOwn(launchersWith, program) ? launchersWith[program] : undefined;
  return launcherNames.has(program) || loader.test(program) || (needed !== undefined && has(args, needed));
}

/** Tells whether a command executes lines that it reads from its input. */
export function isFed(program: string, args: Words): boolean {
  if (fed.has(program)) return true;
  if (program === 'sudo' || program === 'doas') return has(args, /^(?:-[a-zA-Z]*[si]|--shell|--login)$/);
  const operands = args.filter((word) => word === undefined || !word.startsWith('-'));
  return startsShell.has(program) && operands.length < 2;
}

/** How a program takes code that a parser of shell lines does not understand. */
export function takesCode(program: string, args: Words): 'from arguments' | 'from input' | undefined {
  if (fedInterpreter.test(program)) return 'from input';
  const isCode = interpreter.test(program) || has(args, executingOption);
  return isCode || (program === 'git' && has(args, /^config$/)) ? 'from arguments' : undefined;
}

/** Tells whether a command executes others, so that only a rule that names all of its words should let it through. */
export function runsOthers(program: string, args: Words): boolean {
  if (launches(program, args) || isShell(program) || isFed(program, args) || program === 'xargs') return true;
  if (has(args, executingOption)) return true;
  switch (program) {
    case 'find':
      return has(args, /^-(?:exec|ok|delete|fprint|fls)/);
    case 'fd':
    case 'fdfind':
      return has(args, /^-[^-]*[xX]/);
    case 'git':
      return has(args, /^(?:-c.*|--config-env.*|config|filter-branch|difftool|mergetool|-x.*|-O.*|!.*)$/s);
    default:
      return false;
  }
}

/** Tells whether a command that executes others takes lines for a shell among its arguments. */
export function takesLines(command: Words): boolean {
  return command.some(
    (word) =>
      word !== undefined && (readsLines.has(basename(word)) || /^(?:-\w*S|--split-string)/.test(word)),
  );
}

function has(args: Words, pattern: RegExp): boolean {
  return args.some((word) => word !== undefined && pattern.test(word));
}

function words(list: string): readonly string[] {
  return list.split(' ');
}
