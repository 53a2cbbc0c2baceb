import { expect, it } from 'vitest';

import { advisedProjects, makeAdvised } from './advised-projects.ts';
import { obeyAdvice } from './obey-advice.ts';
import { reviewProject } from './review-project.ts';

// Each in a process of its own: Node imports a package once.
it.each(advisedProjects)('$fault; what is advised mends it', { timeout: 180_000 }, async (faulty) => {
  const { args = [], env, stdin = '', code, obey, answers = true } = faulty;
  const project = makeAdvised(faulty);
  const before = await project.run(args, { env, stdin });
  const report = args[0] === 'doctor' ? { ...before, stderr: before.stdout } : before;
  expect(reviewProject(faulty, report)).toEqual([]);
  if (obey === undefined) return;
  obeyAdvice(project, before.stdout + before.stderr, { code, obey });
  expect(await project.run(['doctor'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/Nothing is wrong\.\n$/) as string,
  });
  if (!answers) return;
  const after = await project.run(['run', 'hi']);
  expect(after.status).toBe(0);
  expect(after.stderr).not.toMatch(/^(?:error|warning (?!MODEL_OFFLINE))/m);
});
