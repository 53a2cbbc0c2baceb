// The import rules of the linter (`oxlint.config.ts`).
import type { OxlintOverride } from 'oxlint';

type Rule = NonNullable<NonNullable<OxlintOverride['rules']>['no-restricted-imports']>;

/** Applies to every file: nothing here imports built files. */
export const everywhere = restrict(['**/dist/**']);

const under = ['log', 'files', 'redact', 'base'];
const shared = ['contract', ...under];
const middle = ['hooks', 'sessions', 'tokens', 'options', ...shared];

/** The rooms of the core, each with the rooms below it. A room imports, even types, only from these and from itself. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  base: [],
  'base/json': ['base'],
  'base/json-schema': ['base'],
  'base/net': ['base'],
  redact: ['base'],
  files: ['base'],
  'files/protection': ['files', 'base'],
  log: ['files', 'redact', 'base'],
  contract: under,
  'contract/permissions': ['contract', ...under],
  'contract/services': ['contract', ...under],
  'contract/work': ['contract', ...under],
  hooks: shared,
  'hooks/text': ['hooks', ...shared],
  'sessions/content': shared,
  'sessions/stores': ['sessions/content', ...shared],
  'sessions/questions': ['sessions/stores', 'sessions/content', ...shared],
  'sessions/live': ['sessions/stores', 'sessions/content', ...shared],
  'sessions/deletion': ['sessions/stores', 'sessions/content', ...shared],
  tokens: shared,
  options: shared,
  'run/parts': middle,
  run: ['run/parts', 'run/input', ...middle],
  // Rooms inside `run`. Each imports from `run` itself and, of the rooms in this list, only from those that it names.
  'run/input': ['run', 'run/parts', ...middle],
  'run/model': ['run', 'run/parts', 'run/input', ...middle],
  'run/children': ['run', 'run/parts', 'run/input', 'run/model', ...middle],
  'run/tools': ['run', 'run/parts', 'run/input', 'run/children', ...middle],
  'run/resume': ['run', 'run/parts', 'run/input', 'run/model', 'run/tools', ...middle],
  workers: ['run', 'run/parts', 'run/input', 'run/model', 'run/resume', ...middle],
  plugins: ['run', 'run/parts', ...middle],
};

/**
 * The rooms of `config/`, in the same form. They may also import whatever `config/` itself may. A name that ends in
 * `.ts` is a file of the folder itself.
 */
const configRooms: Readonly<Record<string, readonly string[]>> = {
  packages: [],
  modules: ['packages'],
  read: ['modules', 'packages'],
  check: ['modules', 'packages'],
  edit: ['read', 'modules', 'packages'],
  making: ['check', 'read', 'modules', 'packages', 'load-config.ts', 'resolve-maker.ts'],
  permissions: ['read', 'modules', 'packages', 'load-config.ts'],
};

/** The rooms of the command, in the same form. */
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

/** The rooms of other packages that are large enough to have some. */
const packageRooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'model-ai-sdk': {
    sdk: [],
    http: [],
    errors: ['sdk'],
    answer: ['sdk'],
    resolve: ['sdk'],
    output: ['sdk'],
    prompt: ['output', 'errors', 'sdk'],
    list: ['resolve', 'errors', 'sdk', 'resolve-model.ts'],
  },
  'plugin-filesystem': { permissions: ['is-file.ts', 'options.ts', 'path.ts', 'refusal.ts'] },
  'plugin-hitl': { permissions: ['options.ts', 'rule-for.ts'] },
  'plugin-hooks': { calling: ['hook.ts'], words: ['hook.ts'], places: ['calling', 'words', 'hook.ts'] },
  'plugin-mcp': {
    config: ['options.ts'],
    servers: ['config'],
    questions: ['servers', 'is-json-object.ts'],
    trust: ['config', 'is-json-object.ts', 'work-in-slices.ts'],
    tools: ['trust', 'questions', 'servers', 'config', 'is-json-object.ts', 'work-in-slices.ts'],
    auth: ['servers', 'config', 'is-json-object.ts', 'options.ts'],
  },
  'plugin-shell': {
    line: [],
    presets: ['line'],
    rules: ['presets', 'line', 'options.ts', 'shell-tool.ts'],
    running: ['options.ts'],
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
    observe: [],
    work: ['access', 'events', 'observe'],
    http: ['access'],
    api: ['access', 'events', 'http', 'observe', 'work'],
    chat: ['access', 'events', 'http', 'work', 'api'],
    'ag-ui': ['access', 'events', 'http', 'work', 'api', 'chat'],
    page: [],
    openai: ['access', 'events', 'http', 'work', 'api', 'chat'],
  },
  'store-postgres': {
    database: ['options.ts'],
    sessions: ['database'],
    queue: ['sessions', 'database', 'options.ts'],
    files: ['queue', 'sessions', 'database', 'options.ts'],
  },
  testing: {
    store: ['conformance.ts', 'plugin-suite.ts'],
    plugin: ['collect-events.ts', 'conformance.ts', 'is-object.ts', 'plugin-suite.ts', 'scripted-model.ts'],
    files: ['conformance.ts'],
  },
  web: { state: [], forms: [] },
  'plugin-telemetry': { observe: [], lines: ['observe'], otel: ['observe'] },
};

const ours = ['@shallot/plugin-*', '@shallot/plugin-*/**', '@shallot/model-*', '@shallot/testing', 'shallot'];

/** The rules for the borders of rooms and packages. */
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
  // A room inside another one imports the outer room's files with one step upwards.
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

/** Returns the rule for a room in a folder. It does not restrict imports from outside the folder. */
function innerBorder(
  folder: string,
  room: string,
  below: readonly string[],
  packages: readonly string[],
  allowTypeImports = false,
): OxlintOverride {
  const group = ['../*', '../*/**', '!../../**', ...below.map(allowedBy), ...packages];
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

/** Returns the pattern that allows a room, or a file of the folder that contains the rooms. */
function allowedBy(name: string): string {
  return name.endsWith('.ts') ? `!../${name}` : `!../${name}/**`;
}

function namesOf(below: readonly string[]): string {
  const names = below.map((name) => (name.endsWith('.ts') ? name : `${name}/`));
  return names.length === 0 ? 'itself' : `itself and ${names.join(', ')}`;
}

function restrict(group: string[], message = 'Import the sources.', allowTypeImports = false): Rule {
  return ['error', { patterns: [{ group: ['**/dist/**', ...group], message, allowTypeImports }] }];
}
