import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

interface Service {
  readonly command?: readonly string[];
  readonly working_dir?: string;
  readonly volumes?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly replicas: number };
  readonly ports?: readonly string[];
}

const { services } = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const shallot = ['node_modules/.bin/shallot'];

test('compose.yaml starts two servers and three workers, after the tables', () => {
  const commands = Object.entries(services).map(([name, { command }]) => [name, command?.join(' ')]);
  expect(Object.fromEntries(commands)).toEqual({
    database: undefined,
    migrate: 'node_modules/.bin/shallot store migrate',
    server: 'node server.ts',
    worker: 'node_modules/.bin/shallot worker --concurrency 8 --stop-timeout 30',
  });
  expect(services['server']?.deploy?.replicas).toBe(2);
  expect(services['worker']?.deploy?.replicas).toBe(3);
  // It answers everybody who reaches it.
  expect(services['server']?.ports).toEqual(['127.0.0.1:8001-8002:8000']);
  for (const path of ['server.ts', 'shallot.config.yaml', ...shallot]) {
    expect([path, existsSync(join(import.meta.dirname, path))]).toEqual([path, true]);
  }
});

test('both deployments set the variables that the programs read, and no others', () => {
  const needed = ['DATABASE_URL', 'HOST', 'PORT'];
  const [, names = ''] = /const \{ (.+) \} = process\.env;/.exec(read('server.ts')) ?? [];
  expect(Array.from(names.matchAll(/[A-Z_]+(?= =)/g), ([name]) => name)).toEqual(needed);
  expect(
    new Set(Array.from(read('shallot.config.yaml').matchAll(/\$env: (\w+)/g), ([, name]) => name)),
  ).toEqual(new Set(['DATABASE_URL']));
  expect(Object.keys(services['server']?.environment ?? {})).toEqual(needed);
  expect(Object.keys(services['worker']?.environment ?? {})).toEqual(['DATABASE_URL']);
  expect(read('shallot-worker@.service')).toContain('# DATABASE_URL=…');
});

test('both deployments wait longer for a worker than it takes to stop', () => {
  const unit = read('shallot-worker@.service');
  const command = services['worker']?.command?.join(' ') ?? '';
  expect(unit).toContain(`ExecStart=/srv/agent/${command}\n`);
  const stopSeconds = Number(/--stop-timeout (\d+)/.exec(command)?.[1]);
  expect(Number.parseInt(services['worker']?.stop_grace_period ?? '', 10)).toBeGreaterThan(stopSeconds);
  expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1])).toBeGreaterThan(stopSeconds);
});
