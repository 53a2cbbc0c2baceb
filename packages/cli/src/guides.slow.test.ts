import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { makeProject, type Project } from '../test/project.ts';
import { managerFiles, publishPlugin, startRegistry } from '../test/registry.ts';

const guides = join(import.meta.dirname, '../../../docs/guides');

/** A step of a guide: a file to write, or a command with what it prints. */
type Step =
  | { readonly file: string; readonly content: string }
  | { readonly command: string; readonly output: string };

/** The fences of a guide, in their order: files by the names in their first lines, and commands. */
function stepsOf(guide: string): Step[] {
  const text = readFileSync(join(guides, guide), 'utf8');
  return [...text.matchAll(/^```(yaml|console)\n(.*?)^```$/gms)].flatMap(([, kind, body = '']): Step[] => {
    if (kind === 'yaml') return [{ file: /^# (\S+)\n/.exec(body)?.[1] ?? '', content: body }];
    return body
      .split(/^\$ /m)
      .slice(1)
      .map((each) => {
        const [command = ''] = each.split('\n', 1);
        return { command, output: each.slice(command.length + 1) };
      });
  });
}

/** Returns the pattern of an output, in which a guide writes `…` for parts that it leaves out. */
function patternOf(output: string): RegExp {
  const parts = output.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*?')}$`, 's');
}

async function carryOut(step: Step, project: Project): Promise<void> {
  if ('file' in step) {
    project.write({ [step.file]: step.content });
    return;
  }
  const { command, output } = step;
  const [program = '', ...args] = Array.from(
    command.matchAll(/"([^"]*)"|(\S+)/g),
    ([, quoted, word]) => quoted ?? word ?? '',
  );
  const { status, stdout, stderr } =
    program === 'shallot'
      ? await project.run(args)
      : {
          status: 0,
          stdout: execFileSync(program, args, { cwd: project.folder, encoding: 'utf8' }),
          stderr: '',
        };
  expect({ command, status, stderr }).toEqual({ command, status: 0, stderr });
  expect(`${stderr}${stdout}`).toMatch(patternOf(output));
}

it.each(['configure.md', 'upgrade.md'])(
  'the guide %s is true, command by command',
  { timeout: 180_000 },
  async (guide) => {
    const registry = await startRegistry();
    publishPlugin(registry, '@shallot/plugin-memory', '0.1.0');
    publishPlugin(registry, 'shallot-plugin-tickets', '1.0.0');
    publishPlugin(registry, 'shallot-plugin-tickets', '1.1.0');
    publishPlugin(registry, 'shallot-plugin-tickets', '2.0.0', { api: '^2.0.0' });
    // The core is beside the project, as one that is linked: the package manager does not know of it.
    const project = makeProject({ ...managerFiles(registry), 'package.json': '{ "type": "module" }\n' });
    if (guide === 'upgrade.md') {
      project.write({ 'shallot.config.yaml': 'model: ./model.mjs\n', 'model.mjs': offline });
    }
    const steps = stepsOf(guide);
    expect(steps.length).toBeGreaterThan(5);
    for (const step of steps) await carryOut(step, project);
  },
);

const offline = `export default {
  id: 'test/model',
  generate: async () => ({ message: { role: 'assistant', content: [] }, finish: 'stop' }),
};
`;
