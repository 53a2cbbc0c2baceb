// Runs in its own process: `node provider-start.ts`. Measures the time from the start of a command to its first request
// to a provider, and from the answer to the end of the process, against a program that has only the provider's package.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { createConfigFixture } from './config-fixture.ts';
import { median } from './measures/samples.ts';
import { startProviderServer } from './provider-server.ts';
import { publishedFolder } from './published-packages.ts';

const rounds = Number(process.argv[2] ?? 9);
const twelve = [
  { use: 'context-editing', options: { clearToolResults: {} } },
  { use: 'hitl', options: { tools: { 'other*': true } } },
  { use: 'limits', options: { modelCalls: { run: 50 } } },
  'memory',
  'prompt-caching',
  'redaction',
  'repair',
  'resilience',
  'skills',
  'summarization',
  'telemetry',
  'toolset',
];

const byHand = `import { createOpenAI } from '@ai-sdk/openai';
const model = createOpenAI({ apiKey: 'none', baseURL: process.env.OPENAI_BASE_URL })('gpt-5-mini');
const prompt = [{ role: 'user', content: [{ type: 'text', text: process.argv.slice(2).join(' ') }] }];
const { stream } = await model.doStream({ prompt });
for await (const part of stream) if (part.type === 'text-delta') process.stdout.write(part.delta);
`;

interface Times {
  readonly wireMs: number;
  readonly exitMs: number;
}

const server = await startProviderServer();
const command = join(publishedFolder('shallot'), 'dist', 'main.js');
const [bare, full] = [projectWith([]), projectWith(twelve)];
const yaml = ['--config', 'shallot.config.yaml'];
const starts = {
  hand: () => start(bare.folder, [join(bare.folder, 'by-hand.mjs')]),
  bare: () => start(bare.folder, [command, 'run', ...yaml]),
  yaml: () => start(full.folder, [command, 'run', ...yaml]),
  typescript: () => start(full.folder, [command, 'run', '--config', 'agent.config.ts']),
};
type Key = keyof typeof starts;
const keys = Object.keys(starts) as Key[];
try {
  const all: Record<Key, Times>[] = [];
  for (let round = -2; round < rounds; round += 1) {
    const times: Partial<Record<Key, Times>> = {};
    // Each round begins with a different program.
    for (const [index] of keys.entries()) {
      const key = keys[(index + round + keys.length) % keys.length] ?? 'hand';
      times[key] = await starts[key]();
    }
    // The first rounds are not counted, because they fill the caches.
    if (round >= 0) all.push(times as Record<Key, Times>);
  }
  const added = (key: Key, what: keyof Times): number =>
    median(all.map((times) => times[key][what] - times.hand[what]));
  process.stdout.write(
    `\n${JSON.stringify({
      bareMs: added('bare', 'wireMs'),
      yamlMs: added('yaml', 'wireMs'),
      typescriptMs: added('typescript', 'wireMs'),
      exit: median(all.map(({ bare, hand }) => bare.exitMs / hand.exitMs)),
      exitMs: median(all.map(({ bare: { exitMs } }) => exitMs)),
      exitFullMs: median(all.map(({ yaml: { exitMs } }) => exitMs)),
      handMs: median(all.map(({ hand }) => hand.wireMs)),
      handExitMs: median(all.map(({ hand }) => hand.exitMs)),
    })}\n`,
  );
} finally {
  bare.remove();
  full.remove();
  server.close();
}

/** Creates a project whose model comes from a provider, with a YAML and a TypeScript config. */
function projectWith(plugins: typeof twelve): ReturnType<typeof createConfigFixture> {
  const project = createConfigFixture(
    plugins.map((entry) => (typeof entry === 'string' ? entry : entry.use)),
  );
  const installed = join(project.folder, 'node_modules', '@ai-sdk');
  mkdirSync(installed);
  const provider = join(import.meta.dirname, 'node_modules', '@ai-sdk', 'openai');
  symlinkSync(provider, join(installed, 'openai'), 'dir');
  const entries = plugins.map((entry) => `  - ${JSON.stringify(entry)}`).join('\n');
  const model = `openai/gpt-5-mini`;
  writeFileSync(
    join(project.folder, 'shallot.config.yaml'),
    `model: ${model}\ninstructions: Count.\n${plugins.length === 0 ? '' : `plugins:\n${entries}\n`}`,
  );
  writeFileSync(
    join(project.folder, 'agent.config.ts'),
    `interface Named { readonly model: string }
const named: Named = { model: '${model}' };
export default { ...named, instructions: 'Count.', plugins: ${JSON.stringify(plugins)} };
`,
  );
  writeFileSync(join(project.folder, 'by-hand.mjs'), byHand);
  return project;
}

async function start(cwd: string, args: readonly string[]): Promise<Times> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...args, 'hi'], {
    cwd,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: undefined,
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: server.url,
      XDG_CACHE_HOME: join(dirname(cwd), 'shallot-bench-cache'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [status] = (await once(child, 'exit')) as [number | null];
  const ended = performance.now();
  if (status !== 0 || !stdout.includes('As far'))
    throw new Error(`node ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
  return { wireMs: server.askedAt - begun, exitMs: ended - server.answeredAt };
}
