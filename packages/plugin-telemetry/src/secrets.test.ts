import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, definePlugin, defineTool, type JsonObject } from '@shallot/core';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { registerTracing } from '../test/tracing.ts';
import telemetry from './index.ts';

/** Known to the redactor by its value, from the environment or from options. */
const known = 'hush-hush-4711-value';
/** A secret that only the name of its key gives away. */
const unknown = 'nobody-knows-0815';
/** By its looks. */
const lookalike = 'sk-ant-api03-NobodyKnowsThisOne0815';

interface Placement {
  readonly steps?: readonly ScriptedStep[];
  /** The tool's result, or its error. */
  readonly execute?: () => unknown;
  /** The data that a plugin logs. */
  readonly logged?: object;
  readonly said?: string;
  readonly plugin?: string;
  readonly label?: string;
  readonly options?: { readonly secrets?: readonly string[] };
}

const call = (args: JsonObject): readonly ScriptedStep[] => [
  { toolCalls: [{ name: 'look', args }] },
  { text: 'Done.' },
];
function thrown(error: Error): () => never {
  return () => {
    throw error;
  };
}

const placements: Readonly<Record<string, Placement>> = {
  'nested three deep': {
    steps: call({ a: { b: { c: known, list: [[known]] } } }),
    logged: { a: { b: { c: known } } },
  },
  'a header in odd case': {
    steps: call({ headers: { 'X-aPi-KeY': unknown, AUTHORIZATION: `Basic ${unknown}` } }),
    logged: { rawHeaders: ['coOkie', unknown], headers: { 'Proxy-AuthorizatioN': unknown } },
    said: `sent AUTHORIZATION: ${unknown}`,
  },
  'an error message': {
    execute: thrown(new Error(`refused ${known} and ${lookalike}`)),
    logged: new Error(known),
  },
  'a URL': {
    execute: thrown(new Error(`GET https://user:${unknown}@host/?api_key=${unknown}&q=${known} failed`)),
    logged: { url: new URL(`https://user:${unknown}@host/?token=${unknown}#${known}`) },
  },
  'stringified JSON': {
    steps: call({
      body: JSON.stringify({ password: unknown, deep: JSON.stringify({ apiKey: unknown, k: known }) }),
    }),
    execute: () => JSON.stringify({ access_token: unknown, text: `"${known}"` }),
    said: JSON.stringify({ client_secret: unknown }),
  },
  'err.config': {
    execute: thrown(
      Object.assign(new Error('failed'), { config: { headers: { 'x-api-key': unknown }, data: known } }),
    ),
    logged: {
      err: Object.assign(new Error('failed'), { config: { headers: { 'x-api-key': unknown }, data: known } }),
    },
  },
  'an option': {
    options: { secrets: ['given-as-option'] },
    steps: call({ a: 'given-as-option' }),
    said: 'given-as-option',
  },
  'the environment': { logged: process.env, said: `it is ${known}`, execute: () => `it is ${known}` },
  'tool arguments': { steps: call({ key: known, password: unknown, note: `${lookalike}.` }) },
  'a result': { execute: () => ({ data: known, nested: { token: unknown }, text: `it is ${lookalike}` }) },
  "a plugin's name and a tap's label": { plugin: known, label: `label ${known}`, logged: { [known]: 1 } },
};

const secrets = [known, unknown, lookalike, 'given-as-option'];

/** Secrets as they are, and as encodings hide them. */
const forbidden = secrets.flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').slice(0, -4),
]);

beforeEach(() => {
  vi.stubEnv('SHED_TOKEN', known);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
});

describe('no secret is in logs, spans and trace files', () => {
  it.each(Object.entries(placements))('when it is in %s', async (_where, placement) => {
    const { steps = call({}), execute = () => 'ok', logged, said = 'said', options } = placement;
    const folder = mkdtempSync(join(tmpdir(), 'shallot-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    using tracing = registerTracing();
    const lines: string[] = [];
    const file = join(folder, 'trace.jsonl');
    const agent = await createAgent({
      model: scriptedModel(steps),
      ...(options !== undefined && { redact: options }),
      log: 'trace',
      logStream: { write: (line) => lines.push(line) },
      tools: [
        defineTool({
          name: 'look',
          description: 'Looks.',
          input: { type: 'object' },
          execute: async () => execute(),
        }),
      ],
      plugins: [
        telemetry({ content: true, insight: true, trace: { file, content: true }, log: { steps: 'info' } }),
        definePlugin({
          name: placement.plugin ?? 'noisy',
          setup({ hooks }) {
            const label = placement.label ?? 'say';
            hooks.wrapToolCall.tapPromise(label, async (asked, next, { run }) => {
              run.log.info(logged ?? {}, said);
              const result = await next({ ...asked, input: { changed: true, was: asked.input } });
              run.log.warn({ result });
              return { ...result, content: [...result.content, { type: 'text', text: said }] };
            });
          },
        })(),
      ],
    });
    await agent.run('Go.', { sessionId: 's' });
    await agent.close();
    const outputs = {
      log: lines.join(''),
      spans: JSON.stringify(tracing.spans()),
      file: readFileSync(file, 'utf8'),
    };
    expect(outputs.log).toContain('"msg":"run completed');
    expect(outputs.spans).toContain('execute_tool look');
    expect(outputs.file).toContain('"tool":"look"');
    const found = Object.entries(outputs).flatMap(([output, text]) =>
      forbidden.filter((secret) => text.includes(secret)).map((secret) => `${output}: ${secret}`),
    );
    expect(found).toEqual([]);
    for (const line of [...lines, ...outputs.file.trimEnd().split('\n')])
      expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(Object.values(outputs).join('')).toContain('[redacted]');
  });

  it('when a run fails with it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'shallot-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    using tracing = registerTracing();
    const lines: string[] = [];
    const file = join(folder, 'trace.jsonl');
    const cause = Object.assign(new Error(`401 for ${lookalike}`), {
      config: { headers: { Authorization: unknown } },
    });
    const agent = await createAgent({
      model: scriptedModel([{ error: new Error(`no key ${known}`, { cause }) }]),
      logStream: { write: (line) => lines.push(line) },
      plugins: [telemetry({ content: true, trace: { file, content: true } })],
    });
    await agent.run(`It is ${known}.`).catch(() => {});
    await agent.close();
    const all = `${lines.join('')}${JSON.stringify(tracing.spans())}${readFileSync(file, 'utf8')}`;
    expect(lines).toHaveLength(1);
    for (const secret of forbidden) expect(all).not.toContain(secret);
    expect(all).toContain('no key [redacted]');
  });
});
