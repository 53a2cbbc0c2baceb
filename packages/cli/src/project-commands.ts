import { defineCommand, type CommandDefinition } from './define-command.ts';
import { sharedFlags } from './shared-flags.ts';

const { askNothing, changing, config, debug, dryRun, json, timeout } = sharedFlags;

/** The commands that set a project up, check it and change it. */
export const projectCommands: readonly CommandDefinition[] = [
  defineCommand({
    name: 'init',
    about: 'Creates a first agent: a config, and the packages that it needs. Never overwrites a file.',
    args: [],
    flags: [
      ['--template <name>', 'chat, files, repository, support or empty; default: empty'],
      ['--model <name>', 'provider/model, or offline; default: offline'],
      ['--base-url <url>', 'the address of a model whose provider has none, such as openai-compatible'],
      ['--plugin <names...>', 'more plugins to install and list'],
      ['--language <language>', 'of the config: yaml, json or ts; default: yaml'],
      ['--no-install', 'name what is missing instead of installing it'],
      askNothing,
      dryRun,
      timeout,
      debug,
    ],
    load: async () => (await import('./commands/init-command.ts')).initCommand,
  }),
  defineCommand({
    name: 'models',
    about: 'Lists the providers that the project can use, or the models of one, with context and price.',
    args: [['[provider]', 'a provider such as openai, or a model of it: openai/gpt-5']],
    flags: [
      ...config,
      [
        '--check',
        'send the smallest request to the model (default: that of the config), and show the answer',
      ],
      json,
    ],
    help: '\nExit status: 0, or 1 if a model that is checked cannot be used, 2 for an unknown provider',
    load: async () => (await import('./commands/models-command.ts')).modelsCommand,
  }),
  defineCommand({
    name: 'doctor',
    about: 'Reports every problem in a project, root causes first, each with its fix.',
    args: [],
    flags: [...config, json],
    help: '\nExit status: 0 if nothing is wrong, 1 with warnings alone, 2 with errors',
    load: async () => (await import('./commands/doctor-command.ts')).doctorCommand,
  }),
  defineCommand({
    name: 'add',
    about: 'Installs the newest compatible versions of plugins, and lists them in the config.',
    args: [
      ['<plugins...>', 'short names or packages, optionally with a version range: memory, tickets@^1.2.0'],
    ],
    flags: [
      ...changing,
      ['--exact-name', 'accept a name that looks like a typo of a known plugin'],
      ['--trust <names...>', 'write the entries that these plugins propose, without a question'],
    ],

    load: async () => (await import('./commands/add-command.ts')).addCommand,
  }),
  defineCommand({
    name: 'remove',
    about: 'Removes plugins from the config, and uninstalls their packages.',
    args: [['<plugins...>', 'ids, short names, packages or paths']],
    flags: changing,

    load: async () => (await import('./commands/remove-command.ts')).removeCommand,
  }),
  defineCommand({
    name: 'upgrade',
    about:
      'Installs the newest compatible versions of plugins and of this command, and reports newer incompatible ones.',
    args: [['[plugins...]', 'short names or packages, or shallot; default: all that package.json lists']],
    flags: changing,

    load: async () => (await import('./commands/upgrade-command.ts')).upgradeCommand,
  }),
  defineCommand({
    name: 'schema',
    about: 'Writes the JSON Schema of the config, with the options of the installed plugins, for editors.',
    args: [],
    flags: [...config, ['--stdout', 'print it instead']],

    load: async () => (await import('./commands/schema-command.ts')).schemaCommand,
  }),
  defineCommand({
    name: 'create-plugin',
    about:
      'Creates a plugin in its own folder: typed stubs, tests, build, README, CI. Never overwrites a file.',
    args: [['<name>', 'the short name or the package name: tickets, @acme/tickets']],
    flags: [
      ['--hook <names...>', 'the hooks to write stubs for; default: wrapToolCall'],
      ['--state', 'with state that is kept with the session'],
      ['--directory <path>', 'the folder to write; default: the name of the package'],
      ['--description <text>', 'what it does, in one sentence'],
      ['--author <name>', 'the copyright holder'],
      ['--manager <name>', 'npm or pnpm; default: the one that calls this command'],
      askNothing,
      dryRun,
      debug,
    ],

    load: async () => (await import('./commands/create-plugin-command.ts')).createPluginCommand,
  }),
];
