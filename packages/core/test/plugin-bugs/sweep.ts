import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { isShallotError, type ShallotError } from '../../src/base/errors.ts';
import { textOf } from '../../src/contract/messages.ts';
import type { RunResult } from '../../src/contract/result.ts';
import { defineTool } from '../../src/contract/tool.ts';
import { createAgent } from '../../src/create-agent.ts';
import type { Bug } from './bugs.ts';
import type { Place } from './places.ts';
import type { StartingPlace } from './starting-places.ts';

/** The time limit for one bug, which is long enough for a busy machine. */
const patienceMs = 20_000;

/**
 * Runs each bug at a place, with and without streaming. Returns the bugs that were not contained, or not attributed to
 * the plugin.
 */
export async function sweep(place: Place, bugs: readonly Bug[]): Promise<string[]> {
  const complaints: string[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    for (const bug of bugs.filter((each) => each.places?.(place) ?? true)) {
      for (const streamed of [false, true]) {
        const complaint = await orHang(complaintAbout(bug, place, streamed));
        // Node reports unhandled rejections only after all microtasks.
        await turnOfTheLoop();
        const left = unhandled.splice(0).length > 0 ? 'it left a rejection behind' : undefined;
        const what = complaint ?? left;
        if (what !== undefined) complaints.push(`${bug.name}${streamed ? ', streamed' : ''}: ${what}`);
      }
    }
  } finally {
    process.off('unhandledRejection', note);
  }
  return complaints;
}

async function orHang(complaint: Promise<string | undefined>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('it hangs'), patienceMs);
  });
  try {
    return await Promise.race([complaint, hung]);
  } finally {
    clearTimeout(timer);
  }
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});

async function complaintAbout(bug: Bug, place: Place, streamed: boolean): Promise<string | undefined> {
  const steps = [{ toolCalls: [{ name: 'look' }] }, { text: 'An onion.' }, { text: 'Once more.' }];
  const tools = place.bringsTool ? [] : [look];
  const plugins = [place.plugin(bug)];
  await using agent = await createAgent({ log: 'silent', model: scriptedModel(steps), tools, plugins });
  let complaint: string | undefined;
  try {
    const result = streamed
      ? await followed(agent.stream('hello', { sessionId: 's' }))
      : await agent.run('hello', { sessionId: 's' });
    if (bug.fails && (streamed || !place.streams)) complaint = complaintAboutResult(place, result);
  } catch (error) {
    complaint = complaintAboutError(place, error);
  }
  if (complaint !== undefined) return complaint;
  // After any bug, the session and the process must be able to execute another run.
  await using other = await agent.fork({ model: scriptedModel([{ text: 'Still here.' }]), plugins: [] });
  const { text } = await other.run('And now?', { sessionId: 's', abandon: true });
  return text === 'Still here.' ? undefined : `the session cannot go on: ${text}`;
}

async function followed(
  stream: AsyncIterable<unknown> & { readonly result: Promise<RunResult> },
): Promise<RunResult> {
  for await (const event of stream) void event;
  return stream.result;
}

function complaintAboutError(place: Place, error: unknown): string | undefined {
  if (!isShallotError(error)) return 'the run was rejected with a raw error';
  const { code, plugin = 'no plugin', hook = 'no hook', message } = error;
  return isNamed(place, error) ? undefined : `it is called ${code} of ${plugin} in ${hook}: ${message}`;
}

function isNamed({ hook: wanted }: Place, { code, plugin, hook }: ShallotError): boolean {
  return code !== 'INTERNAL' && plugin === 'bad' && (wanted === undefined || hook === wanted);
}

function complaintAboutResult(place: Place, { outcome, errors, messages }: RunResult): string | undefined {
  const answered = messages.find((message) => message.role === 'tool');
  const isAnswered =
    answered?.isError === true && textOf(answered).includes(place.bringsTool ? 'look' : 'bad');
  if (place.failure === 'call' && isAnswered) return undefined;
  if (place.failure === 'noted' && errors.some((error) => isNamed(place, error))) return undefined;
  return `nobody is told of it, and the run is ${outcome}`;
}

/**
 * Runs each bug that always fails while an agent is created. Returns the bugs that were not attributed to the plugin at
 * its location.
 */
export async function sweepStart(place: StartingPlace, bugs: readonly Bug[]): Promise<string[]> {
  const complaints: string[] = [];
  for (const bug of bugs.filter((each) => each.fails && each.places === undefined)) {
    const what = await orHang(complaintAboutStart(bug, place));
    if (what !== undefined) complaints.push(`${bug.name}: ${what}`);
  }
  return complaints;
}

async function complaintAboutStart(bug: Bug, place: StartingPlace): Promise<string | undefined> {
  const at = { file: '/config.yaml', line: 4 };
  const use = { use: place.plugin(bug), source: { from: 'config', at } };
  try {
    const agent = await createAgent({ log: 'silent', model: scriptedModel([]), plugins: [use] });
    await agent.close();
    return 'nobody is told of it';
  } catch (error) {
    if (!isShallotError(error)) return 'a raw error';
    const { code, plugin = 'no plugin', message } = error;
    return code.startsWith('PLUGIN_') && plugin === 'bad' && error.at === at
      ? undefined
      : `it is called ${code} of ${plugin}: ${message}`;
  }
}
