import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { TraceFile } from './lines/trace-file.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-shared-trace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Begins a file as a run does, with its header. */
function begin(path: string, runId: string): TraceFile {
  const file = new TraceFile(runId, { path, lost: (_lines, error) => expect.fail(String(error)) });
  file.add(header(runId));
  return file;
}

function header(runId: string): string {
  return JSON.stringify({ type: 'trace', run: runId });
}

test('runs that begin at once never share a file, in hundreds of rounds', async () => {
  const folder = newFolder();
  const runs = ['a', 'b', 'c'];
  for (let round = 0; round < 400; round += 1) {
    const directory = join(folder, String(round));
    const path = join(directory, 'trace.jsonl');
    await Promise.all(runs.map((runId) => begin(path, runId).close()));
    const texts = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(texts.toSorted()).toEqual(runs.map((runId) => `${header(runId)}\n`));
  }
});

test('an empty file at the path may be that of another run, and is left alone', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'trace.jsonl'), '');
  await begin(join(folder, 'trace.jsonl'), 'a').close();
  expect(readFileSync(join(folder, 'trace.jsonl'), 'utf8')).toBe('');
  expect(readFileSync(join(folder, 'trace-a.jsonl'), 'utf8')).toBe(`${header('a')}\n`);
});

test('a run whose process died before it wrote its header goes on in the file of its own name', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'trace.jsonl'), `${header('other')}\n`);
  writeFileSync(join(folder, 'trace-a.jsonl'), '');
  await begin(join(folder, 'trace.jsonl'), 'a').close();
  expect(readdirSync(folder)).toEqual(['trace-a.jsonl', 'trace.jsonl']);
  expect(readFileSync(join(folder, 'trace-a.jsonl'), 'utf8')).toBe(`${header('a')}\n`);
});

test.skipIf(process.platform === 'win32')('a pipe at the path takes the lines of every run', async () => {
  const path = join(newFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  // Opened for both, so that neither end waits for the other.
  const text = execFileSync('bash', [
    '-c',
    'exec 3<>"$0"; echo "{}" >&3; read -r line <&3; echo "$line"',
    path,
  ]);
  expect(String(text)).toBe('{}\n');
  await begin(path, 'a').close();
});
