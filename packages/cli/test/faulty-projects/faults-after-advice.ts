import type { Ended } from '../project.ts';
import type { AdvisedProject } from './advised-project.ts';
import { makeAdvised } from './advised-projects.ts';
import { obeyAdvice } from './obey-advice.ts';

const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

/**
 * Follows the advice of a report in a copy of the project in which everything is installed. Returns the faults that
 * `doctor` and a run then report; none if the copy is healthy. A copy is needed because a process imports a module only
 * once.
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
