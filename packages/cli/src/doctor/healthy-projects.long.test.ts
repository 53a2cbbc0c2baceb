import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ownPackages, shortName } from '@shallot/core/command';
import { expect, it } from 'vitest';

import { makeAdvised } from '../../test/faulty-projects/advised-projects.ts';
import { makeProject } from '../../test/project.ts';
import { templates } from '../init/templates.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));
const green = { status: 0, stdout: expect.stringMatching(/Nothing is wrong\.\n$/) as string };

const configured = readdirSync(examples).filter((name) =>
  existsSync(join(examples, name, 'shallot.config.yaml')),
);

it('most examples have a config', () => {
  expect(configured.length).toBeGreaterThan(8);
});

it.each(configured)('doctor finds nothing in a fresh copy of the example %s', async (example) => {
  const project = makeProject({});
  // Configs of examples extend those of others.
  for (const name of configured) {
    const [from, to] = [join(examples, name), join(project.folder, name)];
    cpSync(from, to, { recursive: true, filter: (path) => !/[/\\](?:node_modules|\.shallot)$/.test(path) });
    symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'), 'dir');
  }
  // Named, and not opened.
  const env = { DATABASE_URL: 'postgres://USER@127.0.0.1:1/agents' };
  const args = ['doctor', '-c', join(example, 'shallot.config.yaml')];
  expect(await project.here(args, { env: { ...process.env, ...env } })).toMatchObject(green);
});

const own = ownPackages.plugin.map(shortName);

/** Returns the entry that `shallot add` writes. */
function entryOf(name: string): unknown {
  const manifest = fileURLToPath(new URL(`../../../plugin-${name}/package.json`, import.meta.url));
  const { shallot } = JSON.parse(readFileSync(manifest, 'utf8')) as { shallot: { entry?: object } };
  return shallot.entry === undefined ? name : { use: name, ...shallot.entry };
}

/** A project whose config lists these plugins. */
function listing(names: readonly string[], of = entryOf) {
  const config = JSON.stringify({ model: 'offline', plugins: names.map(of) });
  return makeAdvised({ fault: '', files: { 'shallot.config.yaml': config }, code: '', fix: '' });
}

it.each(own)('doctor finds nothing in a project with %s alone', async (name) => {
  // A shell does not start unless a plugin asks about its commands.
  const names = name === 'shell' ? [name, 'hitl'] : [name];
  expect(await listing(names).here(['doctor'])).toMatchObject(green);
});

it('doctor finds nothing in a project with all plugins together', async () => {
  expect(await listing(own).here(['doctor'])).toMatchObject(green);
});

it('doctor finds nothing in a project with the plugins of all templates together', async () => {
  const plugins = new Map(
    Object.values(templates).flatMap((each) => each.plugins.map((one) => [one.use, one])),
  );
  const project = listing([...plugins.keys()], (name) => {
    const { use, options } = plugins.get(name) as { use: string; options?: object };
    return options === undefined ? use : { use, options };
  });
  expect(await project.here(['doctor'])).toMatchObject(green);
});
