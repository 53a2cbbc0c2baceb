import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ConformanceCheck } from '../conformance.ts';
import { idsOf, message, messages } from './store-samples.ts';
import { storeCheck, type CreateStore, type StoreSubject } from './store-subject.ts';

const processes = 8;
const commitsEach = 10;
const kills = 8;

/** Returns checks of a store that several processes can open. Other stores skip them. */
export function processChecks(create: CreateStore): ConformanceCheck[] {
  return [
    processCheck(create, 'shows another process what was committed', async ({ store }, start) => {
      await store.commit('s', 0, { append: messages('a', 'b') });
      const child = start(`send((await store.load('s')).messages.map(({ id }) => id));`);
      assert.deepEqual(await firstMessage(child), ['a', 'b']);
      await exited(child);
    }),

    processCheck(create, 'lets one of several processes win each revision', async ({ store }, start) => {
      const children = Array.from({ length: processes }, () => start(competing));
      await Promise.all(children.map(exited));
      const ids = idsOf(await store.load('s'));
      assert.equal(ids.length, processes * commitsEach, 'commits were lost or doubled');
      assert.equal(new Set(ids).size, ids.length);
    }),

    processCheck(create, 'lets one of several processes have the claim', async ({ store }, start) => {
      await store.commit('s', 0, {});
      const children = Array.from({ length: processes }, () => start(claiming));
      const results = await Promise.all(children.map(firstMessage));
      for (const child of children) child.send('end');
      await Promise.all(children.map(exited));
      assert.equal(results.filter((result) => result === 'won').length, 1, JSON.stringify(results));
      assert.equal(results.filter((result) => result === 'STORE_CONFLICT').length, processes - 1);
    }),

    processCheck(
      create,
      'is at some commit, never between two, when a process is killed',
      async ({ store }, start) => {
        const all = Array.from({ length: 40 }, (_, n) => message(`start-${n}`, 'x'.repeat(2000)));
        await store.commit('s', 0, { append: all });
        for (let round = 0; round < kills; round += 1) {
          const child = start(changing);
          const confirmed = Number(await firstMessage(child));
          // Waits for a random point in a series of commits without pauses.
          await sleep(5 + round * 7);
          const last = lastMessage(child, confirmed);
          child.kill('SIGKILL');
          await once(child, 'exit');
          const record = await store.load('s');
          const at = Number(record?.state['p']?.['commit']?.value);
          assert.ok(at >= last(), `commit ${last()} was confirmed, ${at} is there`);
          const expected = Array.from({ length: 40 }, (_, n) => `${at}-${n}`);
          assert.deepEqual(idsOf(record), expected, `at commit ${at}, ${last()} confirmed`);
          const journalled = Array.from({ length: Math.min(at, 5) }, (_, n) => `${at - n}`);
          assert.deepEqual(Object.keys(record?.journal ?? {}).toSorted(), journalled.toSorted());
        }
      },
    ),
  ];
}

/** A program that adds its messages one by one, and retries each until its commit is first. */
const competing = `
  for (let done = 0; done < ${commitsEach};) {
    const revision = (await store.load('s'))?.revision ?? 0;
    try {
      const message = { id: process.pid + '-' + done, role: 'user', content: [] };
      await store.commit('s', revision, { append: [message] });
      done += 1;
    } catch (error) {
      if (error.code !== 'STORE_CONFLICT') throw error;
    }
  }`;

const claiming = `
  const { hostname } = await import('node:os');
  const claim = { owner: String(process.pid), host: hostname(), pid: process.pid, expiresAt: Date.now() + 60000 };
  try {
    const { revision } = await store.load('s');
    await store.commit('s', revision, { claim });
    send('won');
  } catch (error) {
    send(error.code);
  }
  await new Promise((resolve) => process.once('message', resolve));`;

/**
 * A program whose commits replace all messages by ones with the number of the commit, in two parts, set a state with
 * it, and keep the last five journal entries with such numbers.
 */
const changing = `
  let { revision, state } = await store.load('s');
  let last = state.p?.commit.value ?? 0;
  for (;;) {
    const of = (from, to) => Array.from({ length: to - from }, (_, n) => ({
      id: (last + 1) + '-' + (from + n), role: 'user', content: [{ type: 'text', text: 'x'.repeat(2000) }],
    }));
    revision = await store.commit('s', revision, {
      replace: [{ from: 0, to: 20, messages: of(0, 15) }, { from: 15, to: 35, messages: of(15, 39) }],
      append: of(39, 40),
      state: { p: { commit: { version: 1, value: last + 1 } } },
      journal: { [last + 1]: { type: 'once', value: 'x'.repeat(200) }, [last - 4]: null },
    });
    last += 1;
    send(last);
  }`;

type Start = (script: string) => ChildProcess;

function processCheck(
  create: CreateStore,
  name: string,
  check: (subject: StoreSubject, start: Start) => Promise<void>,
): ConformanceCheck {
  return storeCheck(create, name, async (subject) => {
    if (subject.elsewhere === undefined) return;
    const { module, open, args } = subject.elsewhere;
    const children: ChildProcess[] = [];
    const start: Start = (script) => {
      const opened = `
        const { ${open}: open } = await import(${JSON.stringify(module)});
        const store = await open(...${JSON.stringify(args)});
        const send = (message) => process.send(message);
        ${script}
        await store.close?.();
        process.disconnect();`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', opened], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      children.push(child);
      return child;
    };
    try {
      await check(subject, start);
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  });
}

async function firstMessage(child: ChildProcess): Promise<unknown> {
  const early = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the test ended with status ${String(code)} before it said anything`);
  });
  const message: unknown[] = await Promise.race([once(child, 'message'), early]);
  return message[0];
}

/** Returns a function that returns the last number sent by the process. */
function lastMessage(child: ChildProcess, first: number): () => number {
  let last = first;
  child.on('message', (message) => (last = Number(message)));
  return () => last;
}

async function exited(child: ChildProcess): Promise<void> {
  const code: unknown = child.exitCode ?? (await once(child, 'exit'))[0];
  assert.equal(code, 0, 'a process of the test failed');
}
