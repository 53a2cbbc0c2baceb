import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { conversations } from './conversations.ts';
import { isLossy, type Loss } from './loss.ts';
import { playAgent } from './play-agent.ts';
import { play } from './player.ts';
import { protocols } from './protocols.ts';
import type { Transcript } from './transcript.ts';

const played = new Map<string, Promise<Transcript>>();

/** A conversation as the agent itself has it. */
function original(name: string): Promise<Transcript> {
  const conversation = conversations.find((each) => each.name === name);
  if (conversation === undefined) throw new Error(`There is no conversation ${name}.`);
  const known = played.get(name) ?? play(conversation, playAgent);
  played.set(name, known);
  return known;
}

function without(losses: readonly Loss[], transcript: Transcript): Transcript {
  return transcript.map((turn) => losses.reduce((rest, loss) => loss.drop(rest), turn));
}

test('the agent itself has conversations of every kind', async () => {
  const turns = (await Promise.all(conversations.map(({ name }) => original(name)))).flat();
  expect(conversations.length).toBeGreaterThanOrEqual(20);
  expect(new Set(turns.map(({ end }) => end.outcome))).toEqual(new Set(['completed', 'aborted', 'failed']));
  expect(new Set(turns.flatMap(({ pieces }) => pieces.map(({ type }) => type)))).toEqual(
    new Set(['user', 'reasoning', 'text', 'call', 'file', 'source']),
  );
  expect(new Set(turns.flatMap(({ questions }) => questions.map(({ kind }) => kind)))).toEqual(
    new Set(['approval', 'question']),
  );
});

describe.each(protocols)('$name', ({ createPlayer, losses }) => {
  test.each(conversations)('carries $name', async (conversation) => {
    const transcript = await play(conversation, createPlayer);
    expect(transcript).toEqual(without(losses, await original(conversation.name)));
  });
});

test.each(protocols)('$name loses something of a conversation by each of its losses', async ({ losses }) => {
  const turns = (await Promise.all(conversations.map(({ name }) => original(name)))).flat();
  const idle = losses.filter((loss) => !turns.some((turn) => isLossy(loss, turn)));
  expect(idle.map(({ about }) => about)).toEqual([]);
});

test('the page about protocols has a row for each loss, and a column for each protocol', () => {
  const page = readFileSync(new URL('../../../../docs/reference/protocols.md', import.meta.url), 'utf8');
  const [head = [], , ...rows] = tableIn(page.split('\n\n| protocol')[0] ?? '');
  expect(head).toEqual(['in a conversation', ...protocols.map(({ name }) => name)]);
  const abouts = new Set(protocols.flatMap(({ losses }) => losses.map(({ about }) => about)));
  const expected = [...abouts].map((about) =>
    [about].concat(
      protocols.map(({ losses }) => (losses.some((loss) => loss.about === about) ? 'lost' : 'carried')),
    ),
  );
  expect(new Set(rows)).toEqual(new Set(expected));
});

function tableIn(page: string): readonly (readonly string[])[] {
  const lines = page.split('\n').filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
