import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import { systemCode } from './thrown.ts';

/** Names a process among those of all machines. */
interface ProcessMark {
  readonly pid: number;
  /** When it began, as its system counts it: ids are given again. Absent where the system does not tell. */
  readonly started?: string;
}

let host: string | undefined;

/**
 * The name of the machine, and of the container when process ids are its own: containers can share a host's name, and
 * a process id means nothing in another's.
 */
export function thisHost(): string {
  host ??= `${hostname()}${pidNamespace()}`;
  return host;
}

/** The number that Linux gives to the outermost namespace of process ids (`PROC_PID_INIT_INO`). */
const outermost = 'pid:[4026531836]';

function pidNamespace(): string {
  if (process.platform !== 'linux') return '';
  try {
    const namespace = readlinkSync('/proc/self/ns/pid');
    return namespace === outermost ? '' : `/${namespace}`;
  } catch {
    // Without /proc there is nothing to tell namespaces apart by.
    return '';
  }
}

export function isProcessThere({ pid, started }: ProcessMark): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Anything but "no such process" (EPERM, above all) means that there is one.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const found = statusOf(pid);
  if (found === undefined) return true;
  return !found.isOver && (started === undefined || found.started === started);
}

let start: Pick<ProcessMark, 'started'> | undefined;

export function thisStart(): Pick<ProcessMark, 'started'> {
  if (start === undefined) {
    const status = statusOf(process.pid);
    start = status === undefined ? {} : { started: status.started };
  }
  return start;
}

interface ProcessStatus {
  /** Clock ticks from the start of the system to that of the process. */
  readonly started: string;
  /** It has ended, and is there only because nobody has asked how. */
  readonly isOver: boolean;
}

/** What Linux says of a process in `/proc/<pid>/stat` (see `proc_pid_stat(5)`); undefined where it does not say. */
function statusOf(pid: number): ProcessStatus | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // A /proc of another namespace has other processes.
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, a name in parentheses, may be anything. These are the third and the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', started = ''] = [fields[0], fields[19]];
    return { started, isOver: state === 'Z' || state === 'X' };
  } catch {
    // There is no such process, or no /proc.
    return undefined;
  }
}
