import type { Ended } from '../project.ts';
import type { AdvisedProject } from './advised-project.ts';
import { makeAdvised } from './advised-projects.ts';
import { obeyAdvice } from './obey-advice.ts';

const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

/**
 * Does what a report on a project says in a copy of it, in which everything is installed, and returns what `doctor` and a
 * run find wrong there; nothing if it is healthy. A copy, because a process imports a module once.
 */
export async function faultsAfterAdvice(faulty: AdvisedProject, report: Ended): Promise<string[]> {
  const { code, obey, answers = true } = faulty;
  if (obey === undefined) return [];
  const copy = makeAdvised(faulty);
  obeyAdvice(copy, report.stdout + report.stderr, { code, obey });
  if (typeof obey === 'object' && 'args' in obey) {
    const again = await copy.here(obey.args, { env });
    if (again.status !== 0) return [again.stderr, again.stdout];
  }
  const doctor = await copy.here(['doctor'], { env });
  if (doctor.status !== 0 || !doctor.stdout.endsWith('Nothing is wrong.\n')) return [doctor.stdout];
  if (!answers) return [];
  const { status, stderr } = await copy.here(['run', 'hi'], { env });
  return status === 0 && !/^(?:error|warning (?!MODEL_OFFLINE))/m.test(stderr) ? [] : [stderr];
}
