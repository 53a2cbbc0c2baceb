/** The options for installing a package. */
export interface InstallChoice {
  /** True to write exactly this version to the manifest instead of a range. */
  readonly exact?: boolean;
  readonly dev?: boolean;
}

/** A package manager: the arguments for each operation. Scripts of packages are never run. */
export interface ManagerCommands {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** Environment variables to add. */
  readonly env: Readonly<Record<string, string>>;
  /** Lists the versions of a package as JSON. */
  readonly versions: (name: string) => readonly string[];
  /** Prints the package.json of a version as JSON. */
  readonly manifest: (name: string, version: string) => readonly string[];
  readonly add: (packages: readonly string[], choice?: InstallChoice) => readonly string[];
  readonly remove: (packages: readonly string[]) => readonly string[];
  /** Installs the packages of the manifest. */
  readonly install: readonly string[];
}

interface Surroundings {
  /** True for yarn 2 or later. */
  readonly isBerry: boolean;
  readonly isWorkspaceRoot: boolean;
}

/** Returns the arguments for the operations of a package manager. */
export function managerCommands(
  name: ManagerCommands['name'],
  { isBerry, isWorkspaceRoot }: Surroundings,
): ManagerCommands {
  switch (name) {
    case 'npm':
      return npm;
    case 'pnpm':
      return pnpm(isWorkspaceRoot);
    case 'bun':
      return bun;
    case 'yarn':
      return isBerry ? yarnBerry : yarnClassic(isWorkspaceRoot);
  }
}

const flags = (...given: readonly (string | false | undefined)[]): string[] =>
  given.flatMap((flag) => (flag === false || flag === undefined ? [] : [flag]));

const npm: ManagerCommands = {
  name: 'npm',
  env: {},
  versions: (name) => ['view', name, 'versions', '--json'],
  manifest: (name, version) => ['view', `${name}@${version}`, '--json'],
  add: (packages, { exact = false, dev = false } = {}) => [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ...flags(exact && '--save-exact', dev && '--save-dev'),
    ...packages,
  ],
  remove: (packages) => ['uninstall', '--ignore-scripts', '--no-audit', '--no-fund', ...packages],
  install: ['install', '--ignore-scripts', '--no-audit', '--no-fund'],
};

function pnpm(isWorkspaceRoot: boolean): ManagerCommands {
  const root = flags(isWorkspaceRoot && '--workspace-root');
  return {
    name: 'pnpm',
    env: {},
    versions: (name) => ['view', name, 'versions', '--json'],
    manifest: (name, version) => ['view', `${name}@${version}`, '--json'],
    add: (packages, { exact = false, dev = false } = {}) => [
      'add',
      '--ignore-scripts',
      ...root,
      ...flags(exact && '--save-exact', dev && '--save-dev'),
      ...packages,
    ],
    // `pnpm remove` runs no scripts, and rejects the flag.
    remove: (packages) => ['remove', ...root, ...packages],
    install: ['install', '--ignore-scripts'],
  };
}

function yarnClassic(isWorkspaceRoot: boolean): ManagerCommands {
  const root = flags(isWorkspaceRoot && '--ignore-workspace-root-check');
  return {
    name: 'yarn',
    env: {},
    versions: (name) => ['info', name, 'versions', '--json'],
    manifest: (name, version) => ['info', `${name}@${version}`, '--json'],
    add: (packages, { exact = false, dev = false } = {}) => [
      'add',
      '--ignore-scripts',
      '--non-interactive',
      ...root,
      ...flags(exact && '--exact', dev && '--dev'),
      ...packages,
    ],
    remove: (packages) => ['remove', '--ignore-scripts', '--non-interactive', ...root, ...packages],
    install: ['install', '--ignore-scripts', '--non-interactive'],
  };
}

const yarnBerry: ManagerCommands = {
  name: 'yarn',
  env: { YARN_ENABLE_SCRIPTS: 'false', YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' },
  versions: (name) => ['npm', 'info', name, '--fields', 'versions', '--json'],
  manifest: (name, version) => ['npm', 'info', `${name}@${version}`, '--json'],
  add: (packages, { exact = false, dev = false } = {}) => [
    'add',
    ...flags(exact && '--exact', dev && '--dev'),
    ...packages,
  ],
  remove: (packages) => ['remove', ...packages],
  install: ['install'],
};

const bun: ManagerCommands = {
  name: 'bun',
  env: {},
  versions: (name) => ['pm', 'view', name, 'versions', '--json'],
  manifest: (name, version) => ['pm', 'view', `${name}@${version}`, '--json'],
  add: (packages, { exact = false, dev = false } = {}) => [
    'add',
    '--ignore-scripts',
    ...flags(exact && '--exact', dev && '--dev'),
    ...packages,
  ],
  remove: (packages) => ['remove', '--ignore-scripts', ...packages],
  install: ['install', '--ignore-scripts'],
};
