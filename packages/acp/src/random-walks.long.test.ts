import { setImmediate } from 'node:timers/promises';

import type { RequestPermissionResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import { textOf } from '@shallot/core';
import { pendingInterrupts } from '@shallot/core/work';
import filesystem from '@shallot/plugin-filesystem';
import hitl from '@shallot/plugin-hitl';
import todo from '@shallot/plugin-todo';
import { expect, it } from 'vitest';

import { connectEditor, type TestEditor } from '../test/editor.ts';
import { newMind } from '../test/mind.ts';
import { faultsOfCalls } from '../test/wire-log.ts';
import { newWorld, text } from '../test/world.ts';

const walks = 300;
const first = Number(process.env['SHALLOT_SEED'] ?? Date.now() % 1_000_000);

type Random = (limit: number) => number;

function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 2_654_435_761);
  return (limit) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

const prompts = ['hello', 'write', 'two', 'plan', 'draft', 'fail', '/usage'];
const answers = ['allow', 'allow', 'always', 'reject', undefined];

/** A walk through one session: what its editor does, and all that it was shown. */
class Walk {
  readonly #random: Random;
  readonly #world = newWorld([filesystem(), todo(), hitl({ tools: { write_file: true } })]);
  readonly #prompts = new Set<Promise<unknown>>();
  #questions: ((response: RequestPermissionResponse) => void)[] = [];
  #editor: TestEditor | undefined;
  #sessionId = '';
  /** The place in the updates at which the present view of the session begins. */
  #from = 0;
  readonly steps: string[] = [];
  readonly faults: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  async begin(): Promise<void> {
    const editor = await this.#connect();
    const { sessionId } = await editor.agent.request('session/new', { cwd: this.#world.cwd, mcpServers: [] });
    this.#sessionId = sessionId;
  }

  async #connect(): Promise<TestEditor> {
    const agent = await this.#world.newAgent([], { model: newMind() });
    this.#questions = [];
    this.#from = 0;
    this.#editor = await connectEditor(
      () => ({ agent, store: this.#world.store, directory: this.#world.cwd }),
      {
        capabilities: this.#random(2) === 0 ? {} : { session: { notices: {}, compaction: {} } },
        onPermission: () => new Promise((resolve) => this.#questions.push(resolve)),
      },
    );
    return this.#editor;
  }

  get #open(): TestEditor {
    if (this.#editor === undefined) throw new Error('no editor is connected');
    return this.#editor;
  }

  async step(): Promise<void> {
    const kinds = ['prompt', 'prompt', 'answer', 'answer', 'cancel', 'load', 'kill', 'wait', 'wait'] as const;
    const kind = kinds[this.#random(kinds.length)] ?? 'wait';
    this.steps.push(kind);
    await this[kind]();
    for (let turns = this.#random(30); turns > 0; turns -= 1) await setImmediate();
  }

  async prompt(): Promise<void> {
    const asked = prompts[this.#random(prompts.length)] ?? '';
    this.steps.push(asked);
    const params = { sessionId: this.#sessionId, prompt: text(asked) };
    const answered = this.#open.agent.request('session/prompt', params).catch(() => undefined);
    this.#prompts.add(answered);
    void answered.then(() => this.#prompts.delete(answered));
  }

  async answer(): Promise<void> {
    const question = this.#questions.shift();
    const optionId = answers[this.#random(answers.length)];
    question?.({
      outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
    });
  }

  async cancel(): Promise<void> {
    await this.#open.agent.notify('session/cancel', { sessionId: this.#sessionId });
  }

  async wait(): Promise<void> {
    await setImmediate();
  }

  /** Shows the session again on the same connection. */
  async load(): Promise<void> {
    const { agent, updates } = this.#open;
    const before = updates.length;
    await agent
      .request('session/load', { sessionId: this.#sessionId, cwd: this.#world.cwd, mcpServers: [] })
      .catch(() => undefined);
    // Only a replay shows messages of the user, the first of them first.
    const replayed = updates.findIndex(
      ({ sessionUpdate }, index) => index >= before && sessionUpdate === 'user_message_chunk',
    );
    if (replayed !== -1) this.#look(this.#open, replayed);
  }

  /** Ends the connection in the middle of things, and goes on with another agent. */
  async kill(): Promise<void> {
    this.#look(this.#open);
    await this.#open.close();
    this.#prompts.clear();
    const { agent } = await this.#connect();
    const method = this.#random(2) === 0 ? 'session/load' : 'session/resume';
    const params = { sessionId: this.#sessionId, cwd: this.#world.cwd, mcpServers: [] };
    const opened = await agent.request(method, params).catch(() => undefined);
    if (opened !== undefined) return;
    const { sessionId } = await agent.request('session/new', { cwd: this.#world.cwd, mcpServers: [] });
    this.#sessionId = sessionId;
  }

  /** Checks what was shown since the last look, up to a place. */
  #look({ updates, sent }: TestEditor, to: number = updates.length, isQuiet = false): void {
    this.faults.push(...faultsOfCalls(updates.slice(this.#from, to), isQuiet));
    if (updates.length !== sent()) this.faults.push(`${sent() - updates.length} updates are not valid`);
    this.#from = to;
  }

  /** Answers all questions, and lets everything end. */
  async end(): Promise<void> {
    for (let quiet = 0; quiet < 5;) {
      while (this.#questions.length > 0) await this.answer();
      await setImmediate();
      quiet = this.#prompts.size === 0 && this.#questions.length === 0 ? quiet + 1 : 0;
    }
    const { store } = this.#world;
    const record = await store.load(this.#sessionId);
    const isOver =
      record?.run === undefined || record.run.status === 'completed' || record.run.status === 'failed';
    this.#look(
      this.#open,
      undefined,
      isOver && (await pendingInterrupts(store, this.#sessionId)).length === 0,
    );
    await this.#open.close();
    if (record === undefined) return;
    const editor = await this.#connect();
    await editor.agent.request('session/load', {
      sessionId: this.#sessionId,
      cwd: this.#world.cwd,
      mcpServers: [],
    });
    const stored = (await store.load(this.#sessionId))?.messages ?? [];
    const of = (role: string) =>
      stored
        .filter((message) => message.role === role && !('source' in message))
        .map((message) => textOf(message))
        .join('');
    if (chunks(editor.updates, 'user_message_chunk') !== of('user'))
      this.faults.push('a load does not show what the user said');
    if (!chunks(editor.updates, 'agent_message_chunk').includes(of('assistant')))
      this.faults.push('a load does not show what the agent said');
    await editor.close();
  }
}

function chunks(
  updates: readonly SessionUpdate[],
  type: 'user_message_chunk' | 'agent_message_chunk',
): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === type && update.content.type === 'text' ? [update.content.text] : [],
    )
    .join('');
}

it(`announces and ends each call once, and loses nothing, in ${walks} walks from seed ${first}`, async () => {
  for (let seed = first; seed < first + walks; seed += 1) {
    const random = randomFrom(seed);
    const walk = new Walk(random);
    await walk.begin();
    for (let count = 4 + random(12); count > 0; count -= 1) await walk.step();
    await walk.end();
    expect({ seed, steps: walk.steps.join(' '), faults: walk.faults }).toMatchObject({ faults: [] });
  }
}, 600_000);
