import type * as SkillsCheck from '@shallot/plugin-skills/check';

import { toJson } from '../rendering/render-json.ts';
import { count } from '../terminal/count.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { importPlugin } from '../work/import-plugin.ts';
import { openSkillDirectory } from '../work/skill-directory.ts';

export interface SkillsCheckOptions {
  readonly json?: boolean;
}

/**
 * `shallot skills check`: prints each problem on a line with its location, for editors. Resolves to 1 if there is one.
 */
export async function skillsCheckCommand(
  directories: readonly string[],
  { json = false }: SkillsCheckOptions,
  screen: Screen,
): Promise<number> {
  const { checkSkills } = await importPlugin<typeof SkillsCheck, 'checkSkills'>({
    entry: '@shallot/plugin-skills/check',
    functions: ['checkSkills'],
    command: 'shallot skills check',
    directory: screen.io.cwd,
  });
  const problems: SkillsCheck.SkillProblem[] = [];
  let checked = 0;
  for (const typed of directories) {
    const { files, path, show } = await openSkillDirectory(typed, screen.io.cwd);
    const report = await checkSkills(files, path);
    checked += report.checked.length;
    for (const problem of report.problems) problems.push({ ...problem, path: show(problem.path) });
  }
  if (json) await screen.line(toJson({ checked, problems }, { indent: 2 }));
  else await showProblems(problems, checked, screen);
  return problems.length === 0 ? exitStatus.completed : exitStatus.failed;
}

async function showProblems(
  problems: readonly SkillsCheck.SkillProblem[],
  checked: number,
  screen: Screen,
): Promise<void> {
  const { paint } = screen;
  for (const { path, line, column, message } of problems) {
    await screen.line(`${paint.bold(`${path}:${line}:${column}:`)} ${visibleLine(message)}`);
  }
  screen.note(`${count(checked, 'skill')} checked, ${count(problems.length, 'problem')}`);
}
