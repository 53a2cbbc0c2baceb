/**
 * A kind of file that tools may not change, because it controls the agent, or because people's programs execute or trust
 * it.
 */
export interface ProtectedName {
  /** Its name in `unlock`. */
  readonly name: string;
  /** Names and paths, wherever they are below the root; `*` stands for any characters of a name. */
  readonly patterns: readonly string[];
  /** Names that the patterns match, and that are not protected. */
  readonly except?: readonly string[];
  /** True if it may not be read either. */
  readonly unreadable?: true;
  /** Completes "it is protected: …". */
  readonly why: string;
}

/** The kinds of files that are protected by name. `docs/reference/protected-files.md` lists them. */
export const protectedNames: readonly ProtectedName[] = [
  {
    name: '.env*',
    patterns: ['.env*'],
    except: ['.env.example'],
    unreadable: true,
    why: 'it holds keys, and sets the environment of programs',
  },
  { name: '.envrc', patterns: ['.envrc'], why: 'direnv executes it in each shell that enters its directory' },
  {
    name: '.shallot',
    patterns: ['.shallot'],
    unreadable: true,
    why: 'it holds the sessions, keys and access tokens of agents',
  },
  {
    name: '.git',
    patterns: ['.git'],
    unreadable: true,
    why: 'git executes commands and hooks that its config names, and keeps addresses with passwords in it',
  },
  {
    name: '.gitconfig',
    patterns: ['.gitconfig', '.config/git'],
    why: 'git executes commands that it names, in all repositories of its owner',
  },
  {
    name: '.hg',
    patterns: ['.hg', '.hgrc'],
    why: 'Mercurial executes hooks and extensions that its config names',
  },
  {
    name: 'git-hooks',
    patterns: [
      '.husky',
      '.githooks',
      'lefthook.*',
      '.lefthook*',
      '.pre-commit-config.*',
      '.lintstagedrc*',
      'lint-staged.config.*',
    ],
    why: 'git executes its commands with a commit, a checkout or a push',
  },
  {
    name: 'shallot.config',
    patterns: ['shallot.config.*', '.shallotrc*'],
    why: 'it says which tools an agent has, and which calls a person is asked about',
  },
  { name: '.mcp.json', patterns: ['.mcp.json'], why: 'agents start the programs that it names' },
  {
    name: 'agents',
    patterns: [
      '.claude/settings*.json',
      '.claude/hooks',
      '.cursor/mcp.json',
      '.cursor/hooks*',
      '.codex/config.toml',
      '.gemini/settings.json',
      'opencode.json*',
      '.roo/mcp.json',
      '.amp/settings.json',
      '.kiro/settings',
    ],
    why: 'other agents start programs that it names, and take their permissions from it',
  },
  {
    name: 'editors',
    patterns: [
      '.vscode',
      '*.code-workspace',
      '.idea',
      '.zed',
      '.fleet',
      '.devcontainer',
      '.devcontainer.json',
      '.dir-locals*.el',
      '.exrc',
      '.vimrc',
      '.nvimrc',
      '.nvim.lua',
      '.lvimrc',
      '.local.vimrc',
      '.helix',
      '*.sublime-project',
      '.gdbinit',
      '.lldbinit',
    ],
    why: 'editors and debuggers execute its tasks and settings when the directory is opened',
  },
  {
    name: 'shells',
    patterns: [
      '.profile',
      '.bashrc',
      '.bash_profile',
      '.bash_login',
      '.bash_logout',
      '.zshrc',
      '.zshenv',
      '.zprofile',
      '.zlogin',
      '.zlogout',
      '.config/fish',
    ],
    why: 'shells execute it when they start',
  },
  {
    name: '.ssh',
    patterns: ['.ssh'],
    unreadable: true,
    why: 'it holds keys, and says who may log in',
  },
  {
    name: 'credentials',
    patterns: [
      '.netrc',
      '.git-credentials',
      '.aws',
      '.azure',
      '.gnupg',
      '.kube',
      '.docker/config.json',
      '.config/gh',
      '.config/gcloud',
      '.pypirc',
    ],
    unreadable: true,
    why: 'it holds keys of its owner for other machines',
  },
  {
    name: 'package-managers',
    patterns: [
      '.npmrc',
      '.yarnrc*',
      '.yarn',
      '.pnpmfile.*',
      '.cargo',
      'rust-toolchain*',
      'mise.toml',
      '.mise*',
    ],
    why: 'package managers and shells execute programs that it names, and fetch from where it says',
  },
  {
    name: 'node_modules',
    patterns: ['node_modules'],
    why: 'the code in it is executed, that of plugins with the next start of the agent',
  },
];

/** A file that is protected because this process has loaded it; see `protectFile`. */
export const loadedFile: ProtectedName = {
  name: 'loaded',
  patterns: [],
  why: 'the agent was made from it, and the next one will be',
};

/** A file that is protected because git would take its directory for a repository. */
export const bareRepository: ProtectedName = {
  name: 'bare-repository',
  patterns: [],
  why: 'git takes a directory with HEAD, objects and refs for a repository, and executes commands that its config names',
};

/** The names that `unlock` accepts. */
export const unlockNames: readonly string[] = [...protectedNames, loadedFile, bareRepository].map(
  ({ name }) => name,
);
