import { basename } from 'node:path';

import type { Words } from '../line/words.ts';

/** Programs that execute what their arguments say: any of their words may begin a command. */
const launchers = words(
  'env sudo doas su runuser setpriv chroot unshare nsenter ssh nice ionice chrt taskset nohup setsid time gtimeout ' +
    'timeout stdbuf unbuffer flock script watch entr parallel strace ltrace valgrind busybox toybox npx pnpx bunx uvx ' +
    'caffeinate pkexec fakeroot firejail bwrap prlimit cpulimit setarch linux32 linux64 chronic hyperfine systemd-run ' +
    'systemd-inhibit dbus-run-session',
);

/** Programs that execute their arguments only after one of these words. */
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

/** Options by which programs execute others. GNU programs and git take them shortened, too. */
const executingOptions = words(
  'pre hostname-bin compress-program to-command checkpoint-action use-compress-program info-script new-volume-script rsh-command ' +
    'rmt-command rsh rsync-path exec exec-batch extcmd open-files-in-pager upload-pack receive-pack diff-program split-string',
);

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

/** Returns whether a command is a builtin of the shell that no rule should let through unseen. */
export function isOfTheShell(program: string, args: readonly string[]): boolean {
  return changesShell.has(program) || (program === 'printf' && args.some((word) => word.startsWith('-v')));
}

export function isShell(program: string): boolean {
  return shellNames.has(program);
}

/** Returns whether any word of a command may begin another command. */
export function launches(program: string, args: Words): boolean {
  const needed = Object.hasOwn(launchersWith, program) ? launchersWith[program] : undefined;
  return launcherNames.has(program) || loader.test(program) || (needed !== undefined && has(args, needed));
}

/** Returns whether a command executes lines that it reads from its input. */
export function isFed(program: string, args: Words): boolean {
  if (fed.has(program)) return true;
  if (program === 'sudo' || program === 'doas') return has(args, /^(?:-[a-zA-Z]*[si]|--shell|--login)$/);
  const operands = args.filter((word) => word === undefined || !word.startsWith('-'));
  return startsShell.has(program) && operands.length < 2;
}

/** Returns whether a command executes others, so that only a rule that names all of its words should let it through. */
export function runsOthers(program: string, args: Words): boolean {
  if (launches(program, args) || isShell(program) || isFed(program, args) || program === 'xargs') return true;
  if (args.some(isExecutingOption)) return true;
  switch (program) {
    case 'find':
      return has(args, /^-(?:exec|ok|delete|fprint|fls)/);
    case 'fd':
    case 'fdfind':
      return has(args, /^-[^-]*[xX]/);
    case 'git':
      return (
        has(
          args,
          /^(?:-c.*|--conf.*|--exec-path.*|config|filter-branch|difftool|mergetool|send-email|-x.*|-\w*O.*|ext::.*|!.*)$/s,
        ) ||
        (has(args, /^clone$/) && has(args, /^-\w*[cu]|--te/)) ||
        (has(args, /^rebase$/) && has(args, /^-\w*x/))
      );
    case 'rsync':
      return has(args, /^-\w*e/);
    case 'scp':
    case 'sftp':
      return has(args, /^-\w*[SoFD]/);
    case 'split':
      return has(args, /^--f/);
    case 'ag':
      return has(args, /^--p/);
    case 'tar':
      // The letters of tar need no dash.
      return has(args, /^-[A-Za-z]*[IF]/) || has(args.slice(0, 2), /^[A-Za-z]*[IF][A-Za-z]*$/);
    default:
      return false;
  }
}

/**
 * Returns whether a word is a long option by which a program executes others. Any beginning of its name counts:
 * `--comp=gzip` is `--compress-program=gzip`.
 */
function isExecutingOption(word: string | undefined): boolean {
  const name = /^--([^=]+)/.exec(word ?? '')?.[1];
  return name !== undefined && executingOptions.some((option) => option.startsWith(name));
}

/** Returns whether a command that executes others takes lines for a shell among its arguments. */
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
