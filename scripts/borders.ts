// Import rules for the linter (`oxlint.config.ts`).
import type { OxlintOverride } from 'oxlint';

type Rule = NonNullable<NonNullable<OxlintOverride['rules']>['no-restricted-imports']>;

/** Holds for every file: what is built is for others. */
export const everywhere = restrict(['**/dist/**']);

const under = ['log', 'files', 'redact', 'base'];
const shared = ['contract', ...under];
const middle = ['hooks', 'sessions', 'tokens', 'options', ...shared];

/** For each room of the core the rooms below it; what it imports comes from these, or from itself, types included. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  base: [],
  'base/json-schema': ['base'],
  'base/net': ['base'],
  redact: ['base'],
  files: ['base'],
  log: ['files', 'redact', 'base'],
  contract: under,
  'contract/services': ['contract', ...under],
  hooks: shared,
  'sessions/content': shared,
  'sessions/stores': ['sessions/content', ...shared],
  'sessions/questions': ['sessions/stores', 'sessions/content', ...shared],
  'sessions/live': ['sessions/stores', 'sessions/content', ...shared],
  'sessions/deletion': ['sessions/stores', 'sessions/content', ...shared],
  tokens: shared,
  options: shared,
  'run/parts': middle,
  run: ['run/parts', 'run/input', ...middle],
  // Shelves of `run`: with it, but not with one another.
  'run/input': ['run', 'run/parts', ...middle],
  'run/model': ['run', 'run/parts', 'run/input', ...middle],
  'run/children': ['run', 'run/parts', 'run/input', 'run/model', ...middle],
  'run/tools': ['run', 'run/parts', 'run/input', 'run/children', ...middle],
  'run/resume': ['run', 'run/parts', 'run/input', 'run/model', 'run/tools', ...middle],
  workers: ['run', 'run/parts', 'run/input', 'run/model', 'run/resume', ...middle],
  plugins: ['run', 'run/parts', ...middle],
};

/** The same inside of `config/`; beside these its rooms import what `config/` may. */
const configRooms: Readonly<Record<string, readonly string[]>> = {
  packages: [],
  modules: ['packages'],
  read: ['modules', 'packages'],
  check: ['modules', 'packages'],
  edit: ['read', 'modules', 'packages'],
};

/** And of the command. */
const commandRooms: Readonly<Record<string, readonly string[]>> = {
  terminal: [],
  markdown: ['terminal'],
  rendering: ['terminal'],
  keyboard: ['terminal'],
  asking: ['rendering', 'keyboard', 'terminal'],
  work: ['asking', 'rendering', 'terminal'],
  project: ['asking', 'rendering', 'terminal'],
  init: ['project', 'terminal'],
  doctor: ['project', 'rendering', 'terminal'],
  inspect: ['work', 'asking', 'rendering', 'terminal'],
  chat: ['work', 'asking', 'rendering', 'markdown', 'keyboard', 'terminal'],
  'create-plugin': ['terminal'],
  commands: [
    'create-plugin',
    'doctor',
    'init',
    'inspect',
    'project',
    'work',
    'asking',
    'rendering',
    'terminal',
  ],
};

/** And of other packages that are large enough to have some. */
const packageRooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'model-ai-sdk': {
    sdk: [],
    http: [],
    errors: ['sdk'],
    answer: ['sdk'],
    resolve: ['sdk'],
    output: ['sdk'],
    prompt: ['output', 'errors', 'sdk'],
  },
  'plugin-skills': { parsing: [], finding: ['parsing'], listing: ['finding', 'parsing'] },
  'plugin-summarization': {
    history: [],
    settings: ['history'],
    shortening: ['settings', 'history'],
    writing: ['settings', 'history'],
  },
  server: {
    access: [],
    events: [],
    work: ['access', 'events'],
    http: ['access'],
    api: ['access', 'events', 'http', 'work'],
  },
  'plugin-telemetry': { observe: [], lines: ['observe'], otel: ['observe'] },
};

const ours = ['@shallot/plugin-*', '@shallot/plugin-*/**', '@shallot/model-*', '@shallot/testing', 'shallot'];

/** The borders of rooms and packages. */
export const borders: OxlintOverride[] = [
  {
    files: ['packages/core/src/**'],
    rules: {
      'no-restricted-imports': restrict(
        ['@shallot/**', 'shallot', '**/testing/src/**'],
        'The core imports no other package of ours; only its tests import @shallot/testing, by path.',
      ),
    },
  },
  ...Object.entries(rooms).map(([room, below]) => border(room, below)),
  ...Object.entries(configRooms).map(([room, below]) =>
    innerBorder('packages/core/src/config', room, below, ['@shallot/**']),
  ),
  {
    files: ['packages/{plugin,model,store}-*/src/**', 'packages/server/src/**'],
    rules: {
      'no-restricted-imports': restrict(
        ours,
        'No plugin imports another: what two need belongs into the core.',
      ),
    },
  },
  {
    files: ['packages/client/src/**'],
    rules: {
      'no-restricted-imports': restrict(
        ['@shallot/**', 'shallot', 'node:*'],
        'The client runs in browsers, and knows of the other packages the types alone.',
        true,
      ),
    },
  },
  {
    files: ['packages/testing/src/**'],
    rules: {
      'no-restricted-imports': restrict(
        ['**/core/src/**', '@shallot/core/command', '@shallot/plugin-*', '@shallot/model-*', 'shallot'],
        'The tools for tests use what the core promises to everybody.',
      ),
    },
  },
  ...Object.entries(packageRooms).flatMap(([name, of]) =>
    Object.entries(of).map(([room, below]) => innerBorder(`packages/${name}/src`, room, below, ours)),
  ),
  {
    files: ['packages/cli/src/**'],
    rules: {
      'no-restricted-imports': restrict(
        ours,
        'The command finds plugins in the project: import only their types.',
        true,
      ),
    },
  },
  ...Object.entries(commandRooms).map(([room, below]) =>
    innerBorder('packages/cli/src', room, below, ours, true),
  ),
];

function border(room: string, below: readonly string[]): OxlintOverride {
  const [parent = '', shelf] = room.split('/');
  const isShelf = shelf !== undefined;
  const reach = (name: string): string =>
    name.startsWith(`${parent}/`)
      ? `../${name.slice(parent.length + 1)}`
      : `${isShelf ? '../../' : '../'}${name}`;
  const allowed = below.map((name) => `!${reach(name)}/**`);
  // A shelf reaches its room by one step upwards.
  const upwards = isShelf && below.includes(parent) ? [] : ['../*'];
  const others = [...upwards, '../*/**', ...(isShelf ? ['../../*', '../../*/**'] : [])];
  return {
    files: [`packages/core/src/${room}/*.ts`],
    rules: {
      'no-restricted-imports': restrict(
        [...others, ...allowed, '@shallot/**'],
        `${room}/ imports only from ${namesOf(below)}.`,
      ),
    },
  };
}

/** For the rooms of a folder: what stands outside of the folder is not restricted. */
function innerBorder(
  folder: string,
  room: string,
  below: readonly string[],
  packages: readonly string[],
  allowTypeImports = false,
): OxlintOverride {
  const group = ['../*', '../*/**', '!../../**', ...below.map((name) => `!../${name}/**`), ...packages];
  return {
    files: [`${folder}/${room}/*.ts`],
    rules: {
      'no-restricted-imports': restrict(
        group,
        `${room}/ imports only from ${namesOf(below)}.`,
        allowTypeImports,
      ),
    },
  };
}

function namesOf(below: readonly string[]): string {
  return below.length === 0 ? 'itself' : `itself and ${below.map((name) => `${name}/`).join(', ')}`;
}

function restrict(group: string[], message = 'Import the sources.', allowTypeImports = false): Rule {
  return ['error', { patterns: [{ group: ['**/dist/**', ...group], message, allowTypeImports }] }];
}
