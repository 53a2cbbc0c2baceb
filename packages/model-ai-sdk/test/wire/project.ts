import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { Agent } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import { onTestFinished, vi } from 'vitest';

import { providers } from '../../src/sdk/providers.ts';
import type { ProviderFacts } from './provider-facts.ts';

const installed = join(import.meta.dirname, '..', '..', 'node_modules');

export interface Project {
  readonly directory: string;
  readonly config: string;
}

/**
 * Creates a user's project with a config of this `model` and `more`, and with these packages installed. It is deleted
 * when the test ends.
 */
export function makeProject(
  model: unknown,
  {
    packages = [],
    files = {},
    more = '',
  }: { packages?: readonly string[]; files?: Readonly<Record<string, string>>; more?: string } = {},
): Project {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-models-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const config = join(directory, 'shallot.config.yaml');
  // JSON is valid YAML, and on one line the model has a position that the tests know.
  const written = {
    'package.json': '{}',
    'shallot.config.yaml': `name: bees\nmodel: ${JSON.stringify(model)}\n${'tool.mjs' in files ? 'tools: [./tool.mjs]\n' : ''}${more}`,
  };
  for (const [name, content] of Object.entries({ ...written, ...files })) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  link(join(import.meta.dirname, '..', '..'), '@shallot/model-ai-sdk');
  for (const name of packages) link(join(installed, name), name);
  return { directory, config };

  function link(from: string, name: string): void {
    const to = join(directory, 'node_modules', name);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(realpathSync(from), to, 'dir');
  }
}

/** Hides the environment variables that providers read until the test ends, so that no key of this machine is used. */
export function forgetKeys(): void {
  vi.unstubAllEnvs();
  onTestFinished(() => void vi.unstubAllEnvs());
  const keys = Object.values(providers).flatMap(({ keys: names }) =>
    names.flatMap((each) => each.split('+')),
  );
  for (const name of [...keys, 'OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'AWS_REGION', 'AZURE_RESOURCE_NAME'])
    vi.stubEnv(name, undefined);
}

/** Loads the agent of a project; it is closed when the test ends. */
export async function openAgent({ directory }: Project): Promise<Agent> {
  const { agent } = await loadAgent({ cwd: directory });
  onTestFinished(() => agent.close());
  return agent;
}

/** The key that is sent to a provider on loopback. */
export const loopbackKey = 'sk-wire-0123456789abcdef';

/** Loads an agent whose model is of this provider on loopback. It is closed when the test ends. */
export function openOnLoopback(
  { onLoopback, key, package: name }: ProviderFacts,
  url: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Agent> {
  const { model, env = {} } = onLoopback(url);
  const variables = { ...env, ...(key === '' ? {} : { [key]: loopbackKey }) };
  for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value);
  return openAgent(makeProject(model, { packages: [name], files }));
}
