import { expect, it } from 'vitest';

import { advisedProjects, makeAdvised } from './advised-projects.ts';
import { faultsAfterAdvice } from './faults-after-advice.ts';
import { reviewProject } from './review-project.ts';

// Each in a process of its own: some faults float, or end the process.
it.each(advisedProjects)('$fault; what is advised mends it', { timeout: 180_000 }, async (faulty) => {
  const { args = [], env, stdin = '' } = faulty;
  const ended = await makeAdvised(faulty).run(args, { env, stdin });
  const report = args[0] === 'doctor' ? { ...ended, stderr: ended.stdout } : ended;
  expect(reviewProject(faulty, report)).toEqual([]);
  expect(await faultsAfterAdvice(faulty, ended)).toEqual([]);
});
