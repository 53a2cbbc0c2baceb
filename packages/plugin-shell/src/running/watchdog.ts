import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Reads lines `+ GROUP` and `- GROUP`, and ends the groups that are left when its input ends. This happens when the
 * agent is gone, whatever ended it. The script ignores signals, because one to all processes at once must not end it.
 */
const script = `
trap '' HUP INT TERM
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
[ "$groups" = ' ' ] && exit
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group"; done
`;

/** A process that outlives this one if necessary, to end the groups that it leaves behind. */
export class Watchdog {
  readonly #process: ChildProcess;

  constructor() {
    // It has a session of its own, so that a signal to this process's group does not end it.
    this.#process = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    // The process ends together with this one, and must not keep it alive.
    this.#process.unref();
    if (this.#process.stdin instanceof Socket) this.#process.stdin.unref();
    // Without the watchdog, groups are left behind only if this process is killed.
    this.#process.on('error', () => undefined);
    this.#process.stdin?.on('error', () => undefined);
  }

  add(group: number): void {
    this.#process.stdin?.write(`+ ${group}\n`);
  }

  delete(group: number): void {
    this.#process.stdin?.write(`- ${group}\n`);
  }

  end(): void {
    this.#process.stdin?.end();
  }
}
