import { basename } from 'node:path';

/** Programs that execute what their arguments say: any of their words may begin a command. */
const launchers = words(
  'env xargs sudo doas su runuser setpriv chroot unshare nsenter ssh nice ionice chrt taskset nohup setsid time ' +
    'timeout stdbuf flock script watch entr parallel strace ltrace busybox toybox npx pnpx bunx caffeinate',
);

const shells = words('sh bash rbash dash ash zsh ksh mksh yash fish');

/** Commands of the shell that change what later commands mean, or read commands from elsewhere. */
const ofTheShell = words(
  'alias unalias eval source . exec command builtin trap hash enable fc bind export declare typeset local readonly ' +
    'set unset shopt let complete coproc read mapfile readarray getopts wait test [',
);

const runners: ReadonlySet<string> = new Set([...launchers, ...shells, ...ofTheShell]);
const changesShell: ReadonlySet<string> = new Set(ofTheShell);
const readsLines: ReadonlySet<string> = new Set([
  ...shells,
  ...words('eval trap alias ssh su runuser watch script parallel flock npx pnpx bunx'),
]);

/** Whether a command is one of the shell itself that no rule should let through unseen. */
export function isOfTheShell(program: string, args: readonly string[]): boolean {
  return changesShell.has(program) || (program === 'printf' && args.some((word) => word.startsWith('-v')));
}

/** Whether a command executes others, so that only a rule that names all of its words should let it through. */
export function runsOthers(program: string, args: readonly string[]): boolean {
  if (program === 'find') return args.some((word) => /^-(?:exec|ok|delete|fprint|fls)/.test(word));
  if (program === 'fd' || program === 'fdfind')
    return args.some((word) => /^(?:-[^-]*[xX]|--exec)/.test(word));
  return runners.has(program);
}

/** Whether a command that executes others takes lines for a shell among its arguments. */
export function takesLines(command: readonly string[]): boolean {
  return command.some((word) => readsLines.has(basename(word)) || /^(?:-\w*S|--split-string)/.test(word));
}

function words(list: string): readonly string[] {
  return list.split(' ');
}
