import { setTimeout as sleep } from 'node:timers/promises';

import { loadAgent } from '@shallot/core/config';
import { describe, expect, it } from 'vitest';

import { makeProject } from './project.ts';
import { startWire, type Harm } from './wire-server.ts';

/** Longer than the 300 seconds after which Node gives up on headers, and on the next piece of a body. */
const silenceMs = 330_000;
const limitMs = 400_000;
const limits = `modelIdleMs: ${limitMs}\nmodelTimeoutMs: ${limitMs}\n`;

const late: Harm = async (response, answer) => {
  await sleep(silenceMs);
  const { status, headers, body } = await answer();
  response.writeHead(status, headers);
  response.end(body);
};

/** The first bytes at once, the rest much later. */
const paused: Harm = async (response, answer) => {
  const { status, headers, body } = await answer();
  response.writeHead(status, headers);
  response.write(body.subarray(0, 20));
  await sleep(silenceMs);
  response.end(body.subarray(20));
};

const onlyPings: Harm = async (response, answer) => {
  const { status, headers } = await answer();
  response.writeHead(status, headers);
  while (!response.destroyed) {
    response.write('event: ping\ndata: {"type":"ping"}\n\n');
    await sleep(5000);
  }
};

const cases = [
  ['run: the whole answer', late, 'At last.'],
  ['stream: the first byte', late, 'At last.'],
  ['run: the rest of an answer', paused, 'At last.'],
  ['stream: the rest of a stream', paused, 'At last.'],
  ['stream: anything but pings', onlyPings, /no chunk for 400000 ms.*raise modelTimeoutMs/],
  ['stream: anything', () => {}, /no sign of life for 400000 ms.*raise modelIdleMs/],
] as const satisfies readonly (readonly [string, Harm, string | RegExp])[];

interface Outcome {
  readonly name: string;
  readonly said: string;
  /** True if it came when the server answered, not when the limit was over. */
  readonly isInTime: boolean;
}

/** Returns the outcome of a question to a server of its own. */
async function outcome(name: string, harm: Harm): Promise<Outcome> {
  await using wire = await startWire();
  wire.answer({ text: 'At last.', harm });
  const baseURL = `${wire.url}/v1`;
  const model = { provider: 'anthropic', model: 'claude-sonnet-5', baseURL, apiKey: { $env: 'KEY' } };
  const { directory } = makeProject(model, { packages: ['@ai-sdk/anthropic'], more: limits });
  const { agent } = await loadAgent({ cwd: directory, env: { KEY: 'sk-wire-0123456789' } });
  const began = performance.now();
  const answer = name.startsWith('run') ? agent.run('Well?') : agent.stream('Well?').result;
  const said = await answer.then(({ text }) => text, String);
  await agent.close();
  const ms = performance.now() - began;
  return { name, said, isInTime: ms >= (said === 'At last.' ? silenceMs : limitMs) && ms < 1.1 * limitMs };
}

describe('with limits of 400 seconds', () => {
  it('330 seconds are waited for an answer, and no more than 400 for one that never comes', async () => {
    // Side by side: they do nothing but wait.
    const outcomes = await Promise.all(cases.map(([name, harm]) => outcome(name, harm)));
    const wanted = cases.map(([name, , words]) => ({
      name,
      said: expect.stringMatching(words) as string,
      isInTime: true,
    }));
    expect(outcomes).toEqual(wanted);
  });
});
