import type { Ended } from '../project.ts';
import type { FaultyProject } from './faulty-project.ts';

/**
 * Returns the weaknesses of the report on a faulty project, followed by the output of the command. Empty if the report
 * has none.
 */
export function reviewProject(project: FaultyProject, { status, stderr, stdout }: Ended): string[] {
  const { code, plugin, at, fix, status: expected = 2 } = project;
  // Lines of JSON are the log, which is for programs.
  const said = stderr.replaceAll(/^\{.*\n/gm, '');
  const poor = {
    silent: said.trim() === '' && stdout.trim() === '',
    'raw: a stack': /^\s+at .*:\d+/m.test(said),
    'raw: words of Node': /node:internal|Node\.js v\d|\(Use `node --trace/.test(said),
    'raw: a path of a build': /shallot\/dist|packages\/(?:core|cli)\/src/.test(said),
    [`status ${status} in place of ${expected}`]: status !== expected,
    [`without the code ${code}`]: !said.includes(code),
    'neither an error nor a warning': !(expected === 0 ? /warning|note/ : /error/).test(said),
    [`without the plugin ${plugin}`]:
      plugin !== undefined && !new RegExp(`\\[${escape(plugin)}[\\] ]`).test(said),
    [`without the place ${at}`]: at !== undefined && !said.includes(at),
    [`without what to do: ${fix}`]: !said.includes(fix),
    'a full stop too many': /[^.]\.\.(?!\.|\/)|\.\)\.$/m.test(said),
  };
  const faults = Object.entries(poor).flatMap(([what, isSo]) => (isSo ? [what] : []));
  return faults.length === 0 ? [] : [...faults, stderr, stdout];
}

function escape(text: string): string {
  return text.replaceAll(/[^\w]/g, String.raw`\$&`);
}
