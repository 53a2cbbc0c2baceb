import { defineTool, memoryStore } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { Decision } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { approve, bench, del, started } from '../test/approvals.ts';
import type { HitlOptions } from './index.ts';

const write = { name: 'write_file', args: { path: '/a.txt', content: 'new' } };
const edited = { path: '/a.txt', content: 'newer' };

/** Goes on, as another process would, from what is on record while the approved call is being executed. */
async function crashed(options: HitlOptions, answer: Decision) {
  const files = memoryFiles();
  const store = memoryStore();
  const left = memoryStore();
  const executed: unknown[] = [];
  const writeFile = defineTool({
    name: 'write_file',
    description: 'Writes a file.',
    input: { type: 'object' },
    effect: 'idempotent',
    async execute(args) {
      const { path, content } = args as typeof edited;
      executed.push(args);
      await files.write(path, content);
      if (executed.length === 1) {
        const record = await store.load('s');
        if (record?.run === undefined) throw new Error('the run is not on record');
        const { messages, state, journal, run } = record;
        await left.commit('s', 0, { append: messages, state, journal, run });
      }
      return 'written';
    },
  });
  const tools = [writeFile];
  const { live, ids } = await started([write], options, { tools, files, store });
  if (ids[0] !== undefined) await live.resume('s', { [ids[0]]: answer });
  const after = bench([], options, {
    model: scriptedModel([{ text: 'Done.' }]),
    tools,
    files,
    store: left,
  });
  const result = await (await after.agent()).resume('s');
  return { result, executed };
}

describe('a condition that comes out otherwise the next time', () => {
  const changing = (...answers: boolean[]): HitlOptions => ({
    tools: { '*': { when: () => answers.shift() ?? expect.fail('it was looked at again') } },
  });

  it('does not let through what a person has rejected', async () => {
    const { live, ids, done } = await started([del('/a')], changing(true, false));
    const result = await live.resume('s', { [ids[0] ?? '']: { decision: 'reject' } });
    expect(result.outcome).toBe('completed');
    expect(done).toEqual([]);
  });

  it('does not ask about a call that was let through before a crash', async () => {
    const { result, executed } = await crashed(changing(false, true), approve);
    expect(result).toMatchObject({ outcome: 'completed', interrupts: [] });
    expect(executed).toEqual([write.args, write.args]);
  });
});

describe('a crash after an approved call has changed what its question showed', () => {
  it('is taken up as it was approved, without another question', async () => {
    const { result, executed } = await crashed({ tools: { write_file: true } }, approve);
    expect(result).toMatchObject({ outcome: 'completed', interrupts: [] });
    expect(executed).toEqual([write.args, write.args]);
  });

  it('is taken up as it was edited', async () => {
    const answer: Decision = { decision: 'edit', args: edited };
    const { result, executed } = await crashed({ tools: { write_file: true } }, answer);
    expect(result).toMatchObject({ outcome: 'completed', interrupts: [] });
    expect(executed).toEqual([edited, edited]);
  });

  it('is taken up without asking the function again', async () => {
    let asked = 0;
    const ask = (): Decision => {
      asked += 1;
      return approve;
    };
    const { result, executed } = await crashed({ tools: { write_file: true }, ask }, approve);
    expect(result.outcome).toBe('completed');
    expect(executed).toHaveLength(2);
    expect(asked).toBe(1);
  });
});
