// Runs in its own process: `node acp-cost.ts start|update`. Measures how soon an editor can begin, compared with
// `shallot run`, and how soon the editor has the text that the model streams.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { median } from './measures/samples.ts';

const samples = 9;
const chunks = 400;
const packages = join(import.meta.dirname, '../packages');
const command = join(packages, 'cli/src/main.ts');
const plugins = [
  'context-editing',
  'hitl',
  'limits',
  'memory',
  'prompt-caching',
  'repair',
  'resilience',
  'skills',
  'summarization',
  'todo',
];
const options: Readonly<Record<string, string>> = {
  'context-editing': '{ clearToolResults: {} }',
  limits: '{ modelCalls: { run: 50 } }',
};

/** The source of a model whose answer streams chunks that hold the current time. */
const model = `import { setTimeout as sleep } from 'node:timers/promises';
const say = (text) => ({ message: { role: 'assistant', content: [{ type: 'text', text }] }, finish: 'stop' });
export default {
  id: 'bench/clock',
  generate: async (request, { emit = () => undefined }) => {
    let all = '';
    for (let count = 0; count < Number(process.env.CHUNKS); count += 1) {
      const text = performance.timeOrigin + performance.now() + ' ';
      all += text;
      await emit({ type: 'text-delta', index: 0, text });
      await sleep(5);
    }
    return say(all + 'Done.');
  },
};
`;

const folder = makeProject();
try {
  const figures = process.argv[2] === 'start' ? await measureStart() : await measureUpdate();
  process.stdout.write(`\n${JSON.stringify(figures)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function makeProject(): string {
  const made = mkdtempSync(join(tmpdir(), 'shallot-bench-acp-'));
  const lines = plugins.map((name) => {
    const given = options[name];
    return given === undefined ? `  - ${name}` : `  - { use: ${name}, options: ${given} }`;
  });
  writeFileSync(
    join(made, 'shallot.config.yaml'),
    ['model: ./model.js', 'plugins:', ...lines, ''].join('\n'),
  );
  writeFileSync(join(made, 'model.js'), model);
  const dependencies = Object.fromEntries(plugins.map((name) => [`@shallot/plugin-${name}`, '*']));
  const manifest = { name: 'bench', private: true, type: 'module', dependencies };
  writeFileSync(join(made, 'package.json'), JSON.stringify(manifest));
  const modules = join(made, 'node_modules/@shallot');
  mkdirSync(modules, { recursive: true });
  const linked = [...plugins.map((name) => `plugin-${name}`), 'core', 'acp'];
  for (const name of linked) symlinkSync(join(packages, name), join(modules, name), 'dir');
  return made;
}

function start(args: readonly string[], count: number): ChildProcess {
  const env = { ...process.env, NODE_COMPILE_CACHE: undefined, CHUNKS: String(count) };
  return spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/**
 * Measures the time from the start of a process until an editor has a session, and until `shallot run` has its answer.
 */
async function measureStart(): Promise<Record<string, number>> {
  const [ready, answered]: [number[], number[]] = [[], []];
  // The first starts fill the compile cache.
  for (let sample = -1; sample < samples; sample += 1) {
    const runMs = await runOnce();
    const begun = performance.now();
    const editor = await connect(0);
    const readyMs = performance.now() - begun;
    await editor.close();
    if (sample < 0) continue;
    answered.push(runMs);
    ready.push(readyMs);
  }
  const ratios = ready.map((ms, index) => ms / (answered[index] ?? Number.NaN));
  return { ratio: median(ratios), readyMs: Math.min(...ready), runMs: Math.min(...answered) };
}

async function runOnce(): Promise<number> {
  const begun = performance.now();
  const child = start(['run', 'hi'], 0);
  child.stdin?.end();
  const gone = once(child, 'close');
  if (child.stdout !== null) await once(child.stdout, 'data');
  const ms = performance.now() - begun;
  await gone;
  return ms;
}

/** Measures the time from when the model emits a chunk until the editor's process has the update. */
async function measureUpdate(): Promise<Record<string, number>> {
  const late: number[] = [];
  const editor = await connect(chunks, (text) => {
    const now = performance.timeOrigin + performance.now();
    // An update may join several chunks: the first of them has waited longest.
    const [said] = text.split(' ');
    if (Number(said) > 1e9) late.push(now - Number(said));
  });
  await editor.ask('session/prompt', { prompt: [{ type: 'text', text: 'Hi' }] });
  await editor.close();
  const sorted = late.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p95Ms: at(0.95), medianMs: at(0.5), updates: sorted.length };
}

/** Begins a session as an editor does, line by line. */
async function connect(count: number, onText: (text: string) => void = () => undefined) {
  const child = start(['acp'], count);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('The process has no pipes.');
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    // ACP sends one message per line, and these are the members that are used here.
    const { id, result, params } = JSON.parse(line) as {
      id?: number;
      result?: Record<string, unknown>;
      params?: { update?: { sessionUpdate: string; content?: { text?: string } } };
    };
    if (id !== undefined && result !== undefined) waiting.get(id)?.(result);
    if (params?.update?.sessionUpdate === 'agent_message_chunk') onText(params.update.content?.text ?? '');
  });
  const session: Record<string, unknown> = {};
  let last = 0;
  const ask = (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = (last += 1);
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, ...session } })}\n`);
    return new Promise((resolve) => {
      waiting.set(id, resolve);
    });
  };
  await ask('initialize', { protocolVersion: 1 });
  session['sessionId'] = (await ask('session/new', { cwd: folder, mcpServers: [] }))['sessionId'];
  const close = async (): Promise<void> => {
    stdin.end();
    await once(child, 'close');
  };
  return { ask, close };
}
