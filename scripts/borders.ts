// What may import what: rules for the linter (`oxlint.config.ts`).
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
  redact: ['base'],
  files: ['base'],
  log: ['files', 'redact', 'base'],
  contract: under,
  hooks: shared,
  sessions: shared,
  tokens: shared,
  options: shared,
  run: middle,
  // Shelves of `run`: with it, but not with one another.
  'run/model': ['run', ...middle],
  'run/tools': ['run', ...middle],
  plugins: ['run', ...middle],
};

const ours = ['@shallot/plugin-*', '@shallot/plugin-*/**', '@shallot/model-*', 'shallot'];

/** The borders of rooms and packages. */
export const borders: OxlintOverride[] = [
  {
    files: ['packages/core/src/**'],
    rules: {
      'no-restricted-imports': restrict(
        ['@shallot/**', 'shallot'],
        'The core imports no other package of ours.',
      ),
    },
  },
  ...Object.entries(rooms).map(([room, below]) => border(room, below)),
  {
    files: ['packages/plugin-*/src/**', 'packages/model-*/src/**'],
    rules: {
      'no-restricted-imports': restrict(
        ours,
        'No plugin imports another: what two need belongs into the core.',
      ),
    },
  },
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
];

function border(room: string, below: readonly string[]): OxlintOverride {
  const isShelf = room.includes('/');
  const root = isShelf ? '../../' : '../';
  const allowed = below.map((name) => `!${root}${name}/**`);
  // A shelf reaches its room by one step upwards.
  const others = isShelf ? ['../*/**', '../../*', '../../*/**'] : ['../*', '../*/**'];
  const names = below.length === 0 ? 'itself' : `itself and ${below.map((name) => `${name}/`).join(', ')}`;
  return {
    files: [`packages/core/src/${room}/*.ts`],
    rules: {
      'no-restricted-imports': restrict(
        [...others, ...allowed, '@shallot/**'],
        `${room}/ imports only from ${names}.`,
      ),
    },
  };
}

function restrict(group: string[], message = 'Import the sources.', allowTypeImports = false): Rule {
  return ['error', { patterns: [{ group: ['**/dist/**', ...group], message, allowTypeImports }] }];
}
