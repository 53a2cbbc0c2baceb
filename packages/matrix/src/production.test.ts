import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadAgent } from '@shallot/core/config';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const guide = readFileSync(new URL('../../../docs/guides/production.md', import.meta.url), 'utf8');
const [, config = ''] = /^```yaml\n(# shallot\.config\.yaml\n.*?)^```/ms.exec(guide) ?? [];

/** Keys of every entry, and those within one line. */
const plumbing = new Set(['plugins', 'options', 'use', 'file', 'path']);

it('the config of the guide loads, with its layers in their order', async () => {
  const { agent, warnings } = await loadAgent({ cwd: project() });
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

/** The config with what it names, in a folder that has this package's dependencies. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-production-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const here = join(import.meta.dirname, '..');
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(here, name), join(folder, name));
  mkdirSync(join(folder, 'tools'));
  const tool = `export default { [Symbol.for('shallot.tool')]: true, name: 'send_mail', description: 'Sends.', inputSchema: {},
    returnDirectly: false, effect: 'write', validate: (value) => ({ ok: true, value }), execute: () => 'sent' };`;
  const files = {
    'shallot.config.yaml': config,
    'instructions.md': 'Help our customers.',
    'tools/send-mail.ts': tool,
    '.env': 'ANTHROPIC_API_KEY=not-a-real-key\nOPENAI_API_KEY=not-a-real-key\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** All keys, at any depth, but those of the models with prices and what stands inside of them. */
function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (plumbing.has(key)) return keysOf(member);
    return key === 'prices' ? [key] : [key].concat(keysOf(member));
  });
}
