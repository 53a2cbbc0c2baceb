import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import { systemCode } from './thrown.ts';

/** Identifies a process on this machine. */
interface ProcessMark {
  readonly pid: number;
  /** The start time as the system counts it, since process ids are reused. Absent if the system does not report it. */
  readonly started?: string;
}

let host: string | undefined;

/**
 * Returns the name of the machine, and of the container if it has its own process ids: containers can share a host
 * name, and process ids are only valid within one namespace.
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
    // Without /proc namespaces cannot be distinguished.
    return '';
  }
}

export function isProcessThere(
  { pid, started }: ProcessMark,
  platform: NodeJS.Platform = process.platform,
): boolean {
  // Decided without a system call, because a worker asks this about each of its own runs at each search.
  if (pid === process.pid && platform === process.platform)
    return started === undefined || started === (thisStart().started ?? started);
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any error but ESRCH, such as EPERM, means that the process exists.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const found = statusOf(pid, platform);
  if (found === undefined) return true;
  return !found.isOver && (started === undefined || found.started === started);
}

let start: Pick<ProcessMark, 'started'> | undefined;

export function thisStart(): Pick<ProcessMark, 'started'> {
  if (start === undefined) {
    const status = statusOf(process.pid, process.platform);
    start = status === undefined ? {} : { started: status.started };
  }
  return start;
}

interface ProcessStatus {
  /** Clock ticks from the start of the system to that of the process. */
  readonly started: string;
  /** True for a process that has ended, such as a zombie. */
  readonly isOver: boolean;
}

/**
 * Reads `/proc/<pid>/stat` (see `proc_pid_stat(5)`). Returns undefined if it does not exist, or lists the processes of
 * another namespace.
 */
function statusOf(pid: number, platform: NodeJS.Platform): ProcessStatus | undefined {
  if (platform !== 'linux') return undefined;
  try {
    // A /proc of another namespace lists other processes.
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, a name in parentheses, may contain anything, so fields 3 and 22 are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', started = ''] = [fields[0], fields[19]];
    return { started, isOver: state === 'Z' || state === 'X' };
  } catch {
    // There is no such process, or no /proc.
    return undefined;
  }
}
