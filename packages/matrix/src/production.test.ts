import { readFileSync } from 'node:fs';

import { createAgent } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import resilience, { type ResilienceOptions } from '@shallot/plugin-resilience';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { testProject, toolModule } from '../test/project.ts';
import { busy } from './witness.ts';

const guide = readFileSync(new URL('../../../docs/guides/production.md', import.meta.url), 'utf8');
const [, config = ''] = /^```yaml\n(# shallot\.config\.yaml\n.*?)^```/ms.exec(guide) ?? [];

/** Keys of every entry, and those within one line. */
const plumbing = new Set(['plugins', 'options', 'use', 'file', 'path']);

it('the config of the guide loads, with its layers in their order', async () => {
  const project = testProject({
    'shallot.config.yaml': config.replace('./tools/*.ts', './tool.ts'),
    'instructions.md': 'Help our customers.',
    'tool.ts': toolModule('send_mail'),
    '.env':
      'ANTHROPIC_API_KEY=not-a-real-key\nOPENAI_API_KEY=not-a-real-key\nREDACTION_KEY=0123456789abcdef0123456789abcdef\n',
  });
  const { agent, warnings } = await loadAgent({ cwd: project });
  const layers = agent.layers();
  await agent.close();
  expect(warnings).toEqual([]);
  expect(layers.wrapModelCall.map(({ plugin, name, priority }) => `${priority} ${plugin}/${name}`)).toEqual([
    '90 telemetry/origin',
    '75 limits/end',
    '38 resilience/model-fallback',
    '36 resilience/model-retry',
    '34 resilience/circuit-breaker',
    '33 resilience/timeouts',
    '5 redaction/answer',
    '2 limits/count',
    '0 telemetry/call',
  ]);
});

it('the guide explains each line of its config', () => {
  const cells = guide.split('\n').flatMap((line) => (line.startsWith('|') ? (line.split('|')[1] ?? '') : []));
  const explained = new Set(
    cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name)),
  );
  expect(keysOf(parse(config)).filter((key) => !explained.has(key))).toEqual([]);
});

it('the numbers of the guide send every run past an outage to the fallback at once, but for one back-off', async () => {
  const { plugins } = parse(config) as { plugins: { use: string; options: ResilienceOptions }[] };
  const { modelRetry, circuitBreaker } = plugins.find(({ use }) => use === 'resilience')?.options ?? {};
  const down = scriptedModel(Array.from({ length: 5 }, () => busy));
  const other = scriptedModel(
    Array.from({ length: 6 }, () => ({ text: 'Good.' })),
    { id: 'test/other' },
  );
  const retry = { ...(modelRetry === false ? {} : modelRetry), firstDelayMs: 1 };
  await using agent = await createAgent({
    model: down,
    plugins: [
      resilience({
        modelRetry: retry,
        circuitBreaker,
        modelFallback: { models: [other] },
      } as ResilienceOptions),
    ],
    log: 'silent',
  });
  const asked: number[] = [];
  for (let run = 0; run < 6; run += 1) {
    expect((await agent.run('Hi')).text).toBe('Good.');
    asked.push(down.calls);
  }
  // Four attempts, then the one that opens the circuit, then none: no delay either.
  expect(asked).toEqual([4, 5, 5, 5, 5, 5]);
});

/** All keys, at any depth, but those of the models with prices and what stands inside of them. */
function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (plumbing.has(key)) return keysOf(member);
    return key === 'prices' ? [key] : [key].concat(keysOf(member));
  });
}
