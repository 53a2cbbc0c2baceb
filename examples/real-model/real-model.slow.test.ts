import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { startWire, type Answer, type Wire } from '../../packages/model-ai-sdk/test/wire/wire-server.ts';

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the two examples beside each other, so that the tests leave nothing behind. */
function copyExamples(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-real-model-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  for (const name of ['quickstart', 'real-model']) {
    const from = join(import.meta.dirname, '..', name);
    cpSync(from, join(folder, name), { recursive: true, filter: (path) => !generated.has(basename(path)) });
    symlinkSync(join(from, 'node_modules'), join(folder, name, 'node_modules'), 'dir');
  }
  return join(folder, 'real-model');
}

/** Runs `npm start` with these variables, and no key of the person who runs the tests. */
function start(
  variables: Readonly<Record<string, string>>,
  { question = [], folder = copyExamples() }: { question?: readonly string[]; folder?: string } = {},
): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['start.ts', ...question], {
    cwd: folder,
    env: { PATH, HOME, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** A provider that refuses what vendors refuse. */
async function startProvider(...answers: readonly Answer[]): Promise<Wire> {
  const wire = await startWire();
  onTestFinished(() => wire[Symbol.asyncDispose]());
  wire.answer(...answers);
  return wire;
}

describe('the example with a real model', () => {
  it('needs no key until a model is named', async () => {
    const { status, stdout } = await start({});
    expect(status).toBe(0);
    expect(stdout).toContain('I only match words, I do not think.');
    expect(stdout).toContain('(/notes/calendar.md)');
  });

  it.each([
    ['openai/gpt-5', (url: string) => ({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${url}/v1` })],
    [
      'anthropic/claude-sonnet-5',
      (url: string) => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: `${url}/v1` }),
    ],
  ] as const)('asks %s, and reads the notes for it', async (name, settings) => {
    const wire = await startProvider(
      { toolCalls: [{ name: 'read_file', args: '{"path":"/notes/honey.md"}' }] },
      { text: 'In June and at the end of July (/notes/honey.md).' },
    );
    const { status, stdout, stderr } = await start(
      { SHALLOT_MODEL: name, ...settings(wire.url) },
      { question: ['When?'] },
    );
    expect(stderr).not.toMatch(/error/i);
    expect(status).toBe(0);
    expect(stdout).toContain('In June and at the end of July (/notes/honey.md).');
    expect(wire.requests.at(-1)?.text).toContain('31 in spring');
    expect(wire.refusals).toEqual([]);
  });

  it('prints and keeps the key nowhere, whatever the provider says of it', async () => {
    const key = 'sk-proj-wrong-9876543210abcdef';
    const message = `Incorrect API key provided: ${key}.`;
    const wire = await startProvider({ error: { status: 401, message, type: 'invalid_request_error' } });
    const folder = copyExamples();
    appendFileSync(join(folder, 'shallot.config.yaml'), 'log: trace\n');
    const settings = {
      SHALLOT_MODEL: 'openai/gpt-5',
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${wire.url}/v1`,
    };
    const { status, stdout, stderr } = await start(settings, { folder });
    expect(status).not.toBe(0);
    expect(stderr).toContain('MODEL_AUTH');
    expect(stderr).toContain('OPENAI_API_KEY');
    const kept = readdirSync(join(folder, '.shallot'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    for (const text of [stdout, stderr, ...kept]) expect(text.includes(key)).toBe(false);
  });

  it('says which key is missing, and where the model is named', async () => {
    const { status, stderr } = await start({ SHALLOT_MODEL: 'openai/gpt-5' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('OPENAI_API_KEY');
    expect(stderr).toMatch(/shallot\.config\.yaml:5:\d+/);
  });

  it('says what to install for another provider', async () => {
    const { status, stderr } = await start({
      SHALLOT_MODEL: 'mistral/mistral-large-latest',
      MISTRAL_API_KEY: 'test',
    });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/(?:npm install|pnpm add) @ai-sdk\/mistral/);
  });
});
