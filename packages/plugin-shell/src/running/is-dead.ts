import { readdir, readFile } from 'node:fs/promises';

/** Field 2 of `/proc/PID/stat` is a name in brackets, which may hold anything; state, parent and group follow it. */
const afterName = /^\d+ \(.*\) (\S) \d+ (\d+) /s;

/**
 * Returns whether all processes of a group have ended and only wait to be reaped, which in a container may never
 * happen. False if that is unknown.
 */
export async function isDead(group: number, platform = process.platform): Promise<boolean> {
  if (platform !== 'linux') return false;
  try {
    const names = await readdir('/proc');
    const stats = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(statOf));
    return stats.every((stat) => {
      const [, state = '', of] = afterName.exec(stat) ?? [];
      return of !== String(group) || /^[ZX]$/.test(state);
    });
  } catch {
    // Without /proc this is unknown.
    return false;
  }
}

async function statOf(pid: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // The process has ended since.
    return '';
  }
}
