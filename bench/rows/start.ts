import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'rolldown';

import { type ConfigFixture, createConfigFixture } from '../config-fixture.ts';
import { median } from '../measures/samples.ts';
import { loadedFiles, type Program, start, type Start } from '../program.ts';
import { publishedFolder } from '../published-packages.ts';
import type { SubjectName } from '../subjects.ts';
import type { Measured } from '../worker.ts';
import { plainRun } from '../workload.ts';
import { type Bounds, boundsOf, type Figure, type Row } from './row.ts';

const bench = join(import.meta.dirname, '..');
/** The number of starts of each program. */
const samples = 11;
const plugins = ['hitl', 'memory', 'summarization'];
const commands: readonly {
  readonly name: string;
  readonly args: readonly string[];
  readonly bounds: Bounds;
}[] = [
  { name: 'run', args: ['run', 'hi'], bounds: [3.3, 2.3] },
  { name: 'inspect', args: ['inspect'], bounds: [3, 2] },
  { name: 'version', args: ['--version'], bounds: [1.7, 1.3] },
];

/** The rows about starting up, before any work is done. */
export const startRows: readonly Row[] = [
  {
    id: 'files',
    title: 'Files that are loaded until the first answer or the end',
    figures: Object.fromEntries([
      ['code', { label: 'agent in code', kind: 'count' }],
      ...commands.map(({ name, args }): [string, Figure] => [
        name,
        { label: commandLine(args), kind: 'count' },
      ]),
    ]),
    measure: () =>
      inProject(async (project) => {
        const figures: Record<string, number> = {
          code: await loadedFiles(await answeringProgram('shallot')),
        };
        for (const { name, args } of commands) figures[name] = await loadedFiles(command(project, args));
        return figures;
      }),
  },
  ...commands.map(commandRow),
  {
    id: 'first-answer',
    title: 'A program from its start to the first answer, agent in code, 10 plugins',
    figures: {
      cpu: { label: 'CPU, to the floor', kind: 'ratio', ...boundsOf([2, 1.5]) },
      wallMs: { label: 'wall ms', kind: 'shown' },
      floorMs: { label: 'the floor, wall ms', kind: 'shown' },
      agentMs: { label: 'first createAgent, wall ms', kind: 'shown' },
      runMs: { label: 'first run, wall ms', kind: 'shown' },
    },
    async measure() {
      const starts = await startInTurns(await answeringProgram('floor'), await answeringProgram('shallot'));
      const answers = starts.map(([, { stdout }]) => JSON.parse(stdout) as Measured<'first-answer'>);
      return {
        cpu: cpuRatio(starts),
        wallMs: best(starts, ([, own]) => own.wallMs),
        floorMs: best(starts, ([floor]) => floor.wallMs),
        agentMs: median(answers.map(({ agentMs }) => agentMs)),
        runMs: median(answers.map(({ runMs }) => runMs)),
      };
    },
  },
];

function commandRow({ name, args, bounds }: (typeof commands)[number]): Row {
  return {
    id: `command-${name}`,
    title: `${commandLine(args)}, in a project with a YAML config and three plugins`,
    figures: {
      cpu: { label: 'CPU, to a program written by hand', kind: 'ratio' },
      // Wall time is only shown, because other programs slow it down.
      wall: { label: 'wall, to a program written by hand', kind: 'shown', ...boundsOf(bounds) },
      wallMs: { label: 'wall ms', kind: 'shown' },
      handMs: { label: 'the program written by hand, wall ms', kind: 'shown' },
    },
    measure: () =>
      inProject(async (project) => {
        const byHand: Program = { args: [project.byHand, 'hi'], cwd: project.folder };
        const times = await startInTurns(byHand, command(project, args));
        const [handMs, wallMs] = [best(times, ([hand]) => hand.wallMs), best(times, ([, own]) => own.wallMs)];
        return { cpu: cpuRatio(times), wall: wallMs / handMs, wallMs, handMs };
      }),
  };
}

type Starts = readonly (readonly [byHand: Start, own: Start])[];

async function startInTurns(byHand: Program, own: Program): Promise<Starts> {
  // The first start is not counted, because it fills the compile cache.
  await start(own);
  const starts: [Start, Start][] = [];
  while (starts.length < samples) starts.push([await start(byHand), await start(own)]);
  return starts;
}

function cpuRatio(starts: Starts): number {
  return median(starts.map(([byHand, own]) => own.cpuMs / byHand.cpuMs));
}

/** Returns the minimum, because other work on the machine can only lengthen a start. */
function best(starts: Starts, read: (start: Starts[number]) => number): number {
  return Math.min(...starts.map(read));
}

function commandLine(args: readonly string[]): string {
  return `shallot ${args.join(' ')}`;
}

function command({ folder }: ConfigFixture, args: readonly string[]): Program {
  return { args: [join(publishedFolder('shallot'), 'dist', 'main.js'), ...args], cwd: folder };
}

async function inProject<T>(work: (project: ConfigFixture) => Promise<T>): Promise<T> {
  const project = createConfigFixture(plugins);
  try {
    return await work(project);
  } finally {
    project.remove();
  }
}

/** Bundles a program into one file without types, because stripping types takes longer than the floor's whole start. */
async function answeringProgram(subject: SubjectName): Promise<Program> {
  const folder = join(bench, 'node_modules', '.first-answer');
  const input = join(folder, `${subject}.ts`);
  const file = join(folder, `${subject}.js`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    input,
    `import { measureFirstAnswer } from '../../measures/first-answer.ts';
import { subject } from '../../subjects/${subject}.ts';
const figures = await measureFirstAnswer(subject, ${JSON.stringify({ ...plainRun, layers: 10 })});
process.stdout.write(JSON.stringify(figures), () => process.exit(0));`,
  );
  await build({ input, platform: 'node', external: /^[^./]/, output: { file }, logLevel: 'warn' });
  return { args: [file], cwd: bench };
}
