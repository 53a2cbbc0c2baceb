import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  isShallotError,
  definePlugin,
  type Plugin,
  type RunResult,
  defineTool,
  memoryStore,
} from '@shallot/core';
import { messageOf, type PluginSetup } from '@shallot/core/plugin';

import { collectEvents } from './collect-events.ts';
import type { ConformanceCheck } from './conformance.ts';
import { leakedSince, openHandles } from './open-handles.ts';
import {
  comparable,
  echoingModel,
  resultOf,
  withoutIds,
  type AgentParts,
  type PluginSubject,
} from './plugin-suite.ts';
import { scriptedModel } from './scripted-model.ts';
import { hasSameState } from './store/has-same-state.ts';
import { traceHooks } from './trace-hooks.ts';

/** The number of runs to abort. A handle that each of them leaves open is a leak. */
const abortedRuns = 3;
/** The time limit for an aborted run to settle, in milliseconds. */
const abortBoundMs = 1000;

const input = 'Tell me of onions.';

/** Returns checks of a plugin's behavior in an agent. */
export function behaviourChecks(subject: PluginSubject): ConformanceCheck[] {
  return [
    {
      name: 'starts and stops again and again, and leaves nothing behind',
      run: () => leavesNothingBehind(subject),
    },
    { name: 'works twice in one agent, under two ids', run: () => worksTwice(subject) },
    { name: 'gives one result, streamed or not', run: () => streamsTheSame(subject) },
    { name: 'works at any place in the onion', run: () => worksAnywhere(subject) },
    { name: 'keeps sessions apart', run: () => keepsSessionsApart(subject) },
    { name: 'keeps plain JSON, and continues in another agent', run: () => goesOnElsewhere(subject) },
    { name: 'lets an abort through, and stops its work', run: () => honoursAbort(subject) },
    { name: 'lets interrupts through', run: () => letsInterruptsThrough(subject) },
    { name: 'has the same state with interrupts as without', run: () => hasSameState(subject) },
    { name: 'passes on the very error that was thrown', run: () => passesErrorsOn(subject) },
  ];
}

async function runOnce(subject: PluginSubject, parts: AgentParts = {}): Promise<RunResult> {
  const result = await subject.withAgent(parts, (agent) => resultOf(agent.run(input)));
  assert.notEqual(
    result.outcome,
    'failed',
    `a plain run fails: ${String(result.error)}; fix it, or give the suite the \`agent\` options that the plugin needs`,
  );
  assert.deepEqual(result.errors.map(String), [], 'an afterAgent hook failed; catch there what may go wrong');
  return result;
}

async function leavesNothingBehind(subject: PluginSubject): Promise<void> {
  // The first run loads modules that are loaded once per process.
  await runOnce(subject);
  const before = await openHandles();
  const times = 4;
  for (let time = 0; time < times; time += 1) await runOnce(subject);
  // One run less than were made, because a timer of the test runner may have ended meanwhile.
  const leaked = await leakedSince(before, times - 1);
  assert.deepEqual(
    leaked,
    [],
    'something is still open after the agent was closed; close in onStop what setup, onStart and hooks open',
  );
}

async function worksTwice(subject: PluginSubject): Promise<void> {
  const first = { use: subject.plugin(), id: 'first' };
  const second = { use: subject.secondPlugin(), id: 'second' };
  try {
    await runOnce(subject, { plugins: [first, second] });
  } catch (error) {
    if (!standInEachOthersWay(error)) throw new Error(`${messageOf(error)} ${twiceAdvice}`, { cause: error });
    // A plugin may refuse, with a reason, to be listed twice.
    for (const alone of [first, second]) await runOnce(subject, { plugins: [alone] });
  }
}

const twiceAdvice =
  'Two instances in one agent must not disturb each other: keep what belongs to one inside of setup, and name things by its id. If one set of options cannot serve both, pass secondOptions to the suite.';

/** Returns true if both instances provide the same tool or service, which they cannot share. */
function standInEachOthersWay(error: unknown): boolean {
  if (!isShallotError(error, 'TOOL_DUPLICATE') && !isShallotError(error, 'SERVICE_DUPLICATE')) return false;
  return ['first', 'second'].every((id) => error.message.includes(id));
}

async function streamsTheSame(subject: PluginSubject): Promise<void> {
  const whole = await runOnce(subject);
  await subject.withAgent({}, async (agent) => {
    const { content, events, result } = await collectEvents(agent.stream(input));
    assert.ok(result !== undefined, 'the stream ended without its result');
    assert.deepEqual(
      comparable(result),
      comparable(whole),
      'the streamed run ends differently; change the response, and leave `emit` to say how it is streamed',
    );
    for (const event of events) {
      if (event.type !== 'message') continue;
      const seen = withoutIds(content[event.step] ?? []);
      assert.deepEqual(
        seen,
        withoutIds(event.message.content),
        `the text streamed in step ${event.step} differs from the stored one; pass your own emit to next, and change chunks and response alike`,
      );
    }
  });
}

async function worksAnywhere(subject: PluginSubject): Promise<void> {
  const around = (priority: number) => [
    traceHooks({ name: 'outer', priority: 100 }),
    { use: subject.plugin(), priority },
    traceHooks({ name: 'inner', priority: 0 }),
  ];
  const alone = await runOnce(subject);
  for (const priority of [100, 50, 0]) {
    const result = await runOnce(subject, { plugins: around(priority) });
    assert.deepEqual(
      comparable(result),
      comparable(alone),
      `between other layers, at priority ${priority}, a run ends differently; do not depend on what is around, or say so by outside, inside or requires`,
    );
  }
}

async function keepsSessionsApart(subject: PluginSubject): Promise<void> {
  const alone = await runOnce(subject);
  await subject.withAgent({}, async (agent) => {
    const results = await Promise.all(Array.from({ length: 8 }, () => resultOf(agent.run(input))));
    for (const result of results) {
      assert.deepEqual(
        comparable(result),
        comparable(alone),
        'runs of several sessions disturb each other; count and remember in state, not in a variable of setup',
      );
    }
  });
}

async function goesOnElsewhere(subject: PluginSubject): Promise<void> {
  const sessionId = 'conformance';
  const copy = memoryStore();
  const first = memoryStore();
  const run = (store: typeof first) =>
    subject.withAgent({ store }, (agent) => resultOf(agent.run(input, { sessionId, abandon: true })));
  await run(first);
  const record = await first.load(sessionId);
  assert.ok(record !== undefined, 'nothing was stored');
  const stored = { messages: record.messages, state: record.state, run: record.run };
  // The checks below prove its shape.
  const parsed = JSON.parse(JSON.stringify(stored)) as typeof stored;
  assert.deepEqual(
    parsed.state,
    stored.state,
    'the session state is not plain JSON; keep nothing else in it',
  );
  assert.deepEqual(
    parsed.run?.state,
    stored.run?.state,
    'the run state is not plain JSON; keep nothing else in it',
  );
  await copy.commit(sessionId, 0, {
    append: parsed.messages,
    state: parsed.state,
    ...(parsed.run === undefined ? {} : { run: parsed.run }),
  });
  const result = await run(copy);
  assert.notEqual(
    result.outcome,
    'failed',
    `another agent cannot continue: ${String(result.error)}; rely on nothing but state, which is all that another process has`,
  );
}

async function honoursAbort(subject: PluginSubject): Promise<void> {
  const before = await openHandles();
  // Several times, because a handle left by one run could belong to other code of this process.
  for (let run = 0; run < abortedRuns; run += 1) await abortOneRun(subject);
  const leaked = await leakedSince(before, abortedRuns);
  assert.deepEqual(
    leaked,
    [],
    'something is still open after aborted runs; close it when the signal is aborted, or in a finally',
  );
}

async function abortOneRun(subject: PluginSubject): Promise<void> {
  const controller = new AbortController();
  const outer = traceHooks({ name: 'outer', priority: 100, hooks: ['wrapModelCall'] });
  const model = scriptedModel([
    () => {
      setTimeout(() => controller.abort(new Error('conformance: enough')), 10);
      return { chunks: ['One '], stall: true };
    },
  ]);
  await subject.withAgent({ model, plugins: [outer, subject.plugin()] }, async (agent) => {
    const started = Date.now();
    const { outcome } = await resultOf(agent.run(input, { signal: controller.signal }));
    assert.equal(
      outcome,
      'aborted',
      'the run went on after the abort; let the error of next pass, and stop when the signal is aborted',
    );
    assert.ok(
      Date.now() - started < abortBoundMs,
      `the run took more than ${abortBoundMs} ms to end; wait for nothing once the signal is aborted`,
    );
    await sleep(20);
    assert.equal(
      outer.lines.filter((line) => !line.endsWith('>')).length,
      1,
      'a layer of the plugin did not settle; wait for nothing once the signal is aborted',
    );
  });
}

async function letsInterruptsThrough(subject: PluginSubject): Promise<void> {
  const name = 'conformance_ask';
  let answered = 0;
  const ask = defineTool({
    name,
    description: 'Asks the outside world.',
    input: { type: 'object' },
    async execute(_, context) {
      const answer = await context.interrupt({ kind: name, payload: 'May I?', answer: { type: 'string' } });
      answered += 1;
      return answer;
    },
  });
  await subject.withAgent({ model: echoingModel(name), tools: [ask] }, async (agent) => {
    const paused = await resultOf(agent.run(input));
    assert.equal(
      paused.outcome,
      'interrupted',
      'a tool asked, but the run was not interrupted; call next, and rethrow what isInterrupt recognises',
    );
    const question = paused.interrupts.find(({ kind }) => kind === name);
    assert.ok(
      question !== undefined,
      "the tool's question is not among the interrupts; rethrow what isInterrupt recognises",
    );
    const resumed = await resultOf(agent.resume(paused.sessionId, { [question.id]: 'yes' }));
    assert.notEqual(
      resumed.outcome,
      'failed',
      `the run cannot be resumed: ${String(resumed.error)}; a layer is entered again for the answer, so do what has effects inside once`,
    );
    assert.equal(
      answered,
      1,
      `the tool went on ${answered} times; call next once for each time that the layer is entered`,
    );
  });
}

async function passesErrorsOn(subject: PluginSubject): Promise<void> {
  const modelFailure = new Error('conformance: the provider failed');
  const toolFailure = new Error('conformance: the tool failed');
  const seen: unknown[] = [];
  const failing = defineTool({
    name: 'conformance_fail',
    description: 'Fails.',
    input: { type: 'object' },
    execute() {
      throw toolFailure;
    },
  });
  const watched = { tools: [failing], plugins: [errorWatcher(seen), subject.plugin()] };
  await subject.withAgent({ ...watched, model: echoingModel(failing.name) }, (agent) =>
    resultOf(agent.run(input)),
  );
  const ofTool = seen.splice(0);
  assert.ok(
    ofTool.every((error) => error === toolFailure),
    `a tool's error became ${String(ofTool[0])}; pass on the \`error\` of the result as it is`,
  );

  const broken = scriptedModel(Array.from({ length: 1000 }, () => ({ error: modelFailure })));
  await subject.withAgent({ ...watched, model: broken }, async (agent) => {
    const result = await resultOf(agent.run(input));
    if (result.outcome !== 'failed') return;
    assert.equal(
      result.error?.cause,
      modelFailure,
      "the model's error is not the cause of the run's; rethrow the error that you caught",
    );
  });
  assert.ok(
    seen.every((error) => error === modelFailure),
    `the model's error became ${String(seen[0])}; rethrow the error that you caught`,
  );
}

/** Returns a plugin that records the errors of the layers inside it. */
function errorWatcher(seen: unknown[]): Plugin {
  const setup = ({ hooks }: PluginSetup): void => {
    hooks.wrapModelCall.tapPromise('watch', async (request, next) => {
      try {
        return await next(request);
      } catch (error) {
        seen.push(error);
        throw error;
      }
    });
    hooks.wrapToolCall.tapPromise('watch', async (call, next) => {
      const result = await next(call);
      if (result.error !== undefined) seen.push(result.error);
      return result;
    });
  };
  return definePlugin({ name: 'conformance-watcher', priority: 100, setup })();
}
