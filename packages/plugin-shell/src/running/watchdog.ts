import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Reads which groups there are, `+ GROUP` and `- GROUP`, and ends those that are left when its input ends. That is when
 * the agent is gone, whatever ended it: a signal to all processes at once must leave this one.
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

/** A process that outlives this one, if need be, to end the groups that it leaves behind. */
export class Watchdog {
  readonly #process: ChildProcess;

  constructor() {
    // A session of its own: what ends this process's group must not end it.
    this.#process = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    // It ends by itself with this process, and must not keep it.
    this.#process.unref();
    if (this.#process.stdin instanceof Socket) this.#process.stdin.unref();
    // Without it, groups are left only where this process is killed.
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
