import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { templates } from '../packages/cli/src/init/templates.ts';
import { ownPackages, shortName } from '../packages/core/src/command.ts';
import { randomFrom, randomSome, seed } from '../packages/matrix/src/random.ts';
import { installedPackages, packagesNeededBy } from './installed-packages.ts';
import { isThorough } from './is-thorough.ts';
import { readMarkdown } from './markdown.ts';
import { machineRegistry, publishWorkspace } from './publish-workspace.ts';
import { runToEnd, type Ended } from './run-to-end.ts';
import { startVerdaccio, type VerdaccioRegistry } from './verdaccio-registry.ts';
import { root } from './workspace.ts';

const upstream = await machineRegistry();
const isReachable = await fetch(upstream).then(
  () => true,
  () => false,
);

let registry: VerdaccioRegistry | undefined;

/** A package manager, and its words for the commands of npm in the guide. */
interface Manager {
  readonly name: 'npm' | 'pnpm';
  /** The name of its plugin: a registry takes each version of a name once. */
  readonly plugin: string;
  readonly inItsWords: (command: string) => string;
}

const managers: readonly Manager[] = [
  { name: 'npm', plugin: 'greeter', inItsWords: (command) => command },
  {
    name: 'pnpm',
    plugin: 'welcomer',
    inItsWords: (command) =>
      command
        .replace(/^npx --yes /, 'pnpm dlx ')
        .replace(/^npx /, 'pnpm exec ')
        .replace(/^npm install (?=\S)/, 'pnpm add ')
        .replace(/^npm publish$/, 'pnpm publish --no-git-checks')
        .replace(/^npm /, 'pnpm '),
  },
];

/** Returns the commands in a section of the guide, one per line. */
function commandsOf(heading: string): string[] {
  const guide = readFileSync(join(root, 'docs', 'guides', 'publish-a-plugin.md'), 'utf8');
  const section = guide.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const shell = readMarkdown(section).fences.filter(({ language }) => language === 'sh');
  return shell.flatMap(({ code }) => code.trim().split('\n'));
}

const publishing = commandsOf('Write and publish it');
const using = commandsOf('Use it elsewhere');

it('takes at most twelve commands by the guide, from nothing to an agent elsewhere that runs the plugin', () => {
  expect(publishing.length).toBeGreaterThan(3);
  expect(using.length).toBeGreaterThan(3);
  // Beside them, one makes the other folder.
  expect(publishing.length + using.length + 1).toBeLessThanOrEqual(12);
});

it('is tested, or said to be left out because no registry can be reached', () => {
  if (!isReachable) console.warn(`The life of a plugin was not tested: ${upstream} cannot be reached.`);
  expect(upstream).toMatch(/^https?:/);
});

describe.runIf(isReachable)('the life of a plugin', () => {
  beforeAll(async () => {
    registry = await publishWorkspace(startVerdaccio);
  }, 10 * 60_000);
  afterAll(() => registry?.close());

  it(`begins with an agent that starts, for each plugin of ours alone, by SHALLOT_SEED=${seed}`, async () => {
    const user = shellIn(makeFolder(), 'npm');
    await user.passes('npm install shallot @shallot/core');
    const { plugin: all } = ownPackages;
    for (const name of isThorough ? all : randomSome(all, 6, randomFrom(seed))) {
      const short = shortName(name);
      writeFileSync(join(user.folder, 'shallot.config.yaml'), 'model: offline\n');
      const { status, output } = await user.runs(`npx shallot add ${short} --yes`);
      // Only its user can say who is asked about its commands.
      const isStarting = short !== 'shell';
      expect({ short, status, output }).toEqual({
        short,
        status: isStarting ? 0 : 2,
        output: expect.stringContaining(
          isStarting ? 'The agent starts.' : 'hitl with tools: { shell: true }',
        ) as string,
      });
      if (isStarting) await user.passes('npx shallot run --quiet Hello');
      await user.passes(`npx shallot remove ${short} --yes`);
    }
  });

  it('begins with an agent of each template that answers, in each language of configs', async () => {
    const user = shellIn(makeFolder(), 'npm');
    await user.passes('npm install shallot @shallot/core');
    const languages = ['yaml', 'json', 'ts'];
    for (const [index, template] of Object.keys(templates).entries()) {
      const language = languages[index % languages.length] ?? 'yaml';
      await user.passes(`npx shallot init --yes --template ${template} --language ${language}`);
      expect((await user.passes('npx shallot doctor')).stdout).toMatch(/\nNothing is wrong\.\n$/);
      const { stdout } = await user.passes('npx shallot run --quiet Hello');
      expect({ template, stdout }).toEqual({
        template,
        stdout: 'Hello (offline model: no provider is asked)\n',
      });
      rmSync(join(user.folder, `shallot.config.${language}`));
    }
  });

  describe.each(managers)('with $name', ({ name, plugin, inItsWords }) => {
    const packageName = `shallot-plugin-${plugin}`;

    it('is written, tested, published, used, upgraded, refused and downgraded by the commands of the guide', async () => {
      const author = shellIn(makeFolder(), name);
      for (const command of publishing)
        await author.passes(inItsWords(command.replaceAll('greeter', plugin)));

      const user = shellIn(makeFolder(), name);
      const said: string[] = [];
      for (const command of using) {
        said.push((await user.passes(inItsWords(command.replaceAll('greeter', plugin)))).stdout);
      }
      expect(said.at(-1)).toBe('Good morning (offline model: no provider is asked)\n');
      expect(readFileSync(join(user.folder, 'shallot.config.yaml'), 'utf8')).toContain(
        `plugins: [${plugin}]\n`,
      );
      const run = inItsWords('npx shallot run --quiet Hello');
      const inspect = inItsWords('npx shallot inspect');
      expect((await user.passes(inspect)).stdout).toContain(`${plugin} 0.1.0`);

      await author.publishes({ version: '0.2.0' });
      await author.publishes({ version: '2.0.0', api: '^2.0.0' });
      const upgraded = await user.passes(inItsWords('npx shallot upgrade --yes'));
      expect(upgraded.output).toMatch(/2\.0\.0[^]*plugin API/);
      expect((await user.passes(inspect)).stdout).toContain(`${plugin} 0.2.0`);

      await user.passes(inItsWords(`npm install ${packageName}@2.0.0`));
      const refused = await user.runs(run);
      expect(refused.status).not.toBe(0);
      expect(refused.output).toMatch(
        new RegExp(
          `PLUGIN_INCOMPATIBLE \\[${plugin}\\] shallot\\.config\\.yaml:\\d+:\\d+: .*needs the plugin API "\\^2\\.0\\.0"`,
        ),
      );

      await user.passes(inItsWords(`npm install ${packageName}@0.1.0`));
      expect((await user.passes(run)).stdout).toMatch(/\(offline model: no provider is asked\)\n$/);
    });

    it('brings with core and one plugin no other plugin, and nothing that these two do not need', async () => {
      const user = shellIn(makeFolder(), name);
      await user.passes(inItsWords('npm install @shallot/core @shallot/plugin-redaction'));
      const installed = installedPackages(user.folder);
      expect(installed).toEqual(
        packagesNeededBy(['@shallot/core', '@shallot/plugin-redaction'], user.folder),
      );
      expect(installed.filter((each) => each.includes('plugin'))).toEqual(['@shallot/plugin-redaction']);
    });
  });
});

interface Shell {
  /** Where its next command runs. */
  readonly folder: string;
  runs(command: string): Promise<Ended>;
  passes(command: string): Promise<Ended>;
  /** Publishes the package of its folder in another version. */
  publishes(change: { readonly version: string; readonly api?: string }): Promise<void>;
}

/** A shell as somebody has it who is set to the registry, and has nothing else. */
function shellIn(start: string, manager: Manager['name']): Shell {
  const { url = '', token = '' } = registry ?? {};
  const settings = join(start, '.npmrc');
  writeFileSync(settings, `registry=${url}/\n${url.replace('http:', '')}/:_authToken=${token}\n`);
  const foreign = Object.keys(process.env).filter((name) => /^(?:npm|pnpm|yarn|bun)_/i.test(name));
  const env = {
    ...Object.fromEntries(foreign.map((name) => [name, undefined])),
    CI: 'true',
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    npm_config_userconfig: settings,
    npm_config_registry: `${url}/`,
    // A package published here may have a version that others have, too.
    npm_config_cache: join(start, '.cache', 'npm'),
    pnpm_config_registry: `${url}/`,
    pnpm_config_cache_dir: join(start, '.cache', 'pnpm'),
    pnpm_config_minimum_release_age: '0',
  };
  let folder = mkdtempSync(join(start, `${manager}-`));
  const runs = async (command: string): Promise<Ended> => {
    const [program = '', ...args] = wordsOf(command);
    if (program !== 'cd') return runToEnd(program, args, { cwd: folder, env, timeoutMs: 5 * 60_000 });
    folder = resolve(folder, args[0] ?? '');
    return { status: existsSync(folder) ? 0 : 1, stdout: '', output: '' };
  };
  const passes = async (command: string): Promise<Ended> => {
    const ended = await runs(command);
    if (ended.status !== 0) throw new Error(`${command} ended with status ${ended.status}\n${ended.output}`);
    return ended;
  };
  return {
    get folder() {
      return folder;
    },
    runs,
    passes,
    async publishes({ version, api }) {
      const file = join(folder, 'package.json');
      // Written by create-plugin.
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as { readonly shallot: object };
      const shallot = { ...manifest.shallot, ...(api !== undefined && { api }) };
      writeFileSync(file, JSON.stringify({ ...manifest, version, shallot }, null, 2));
      await passes(manager === 'npm' ? 'npm publish' : 'pnpm publish --no-git-checks');
    },
  };
}

/** The words of a command, as a shell parts them: only double quotes are used. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-life-')));
  // Package managers leave tens of thousands of files behind.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }), 5 * 60_000);
  mkdirSync(join(folder, '.cache'));
  return folder;
}
