import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const installed = join(import.meta.dirname, 'node_modules');
const packages = join(import.meta.dirname, '..', 'packages');
const folders = {
  shallot: 'cli',
  '@shallot/core': 'core',
  '@shallot/model-ai-sdk': 'model-ai-sdk',
  '@shallot/plugin-context-editing': 'plugin-context-editing',
  '@shallot/plugin-filesystem': 'plugin-filesystem',
  '@shallot/plugin-hitl': 'plugin-hitl',
  '@shallot/plugin-hooks': 'plugin-hooks',
  '@shallot/plugin-limits': 'plugin-limits',
  '@shallot/plugin-mcp': 'plugin-mcp',
  '@shallot/plugin-memory': 'plugin-memory',
  '@shallot/plugin-prompt-caching': 'plugin-prompt-caching',
  '@shallot/plugin-redaction': 'plugin-redaction',
  '@shallot/plugin-repair': 'plugin-repair',
  '@shallot/plugin-resilience': 'plugin-resilience',
  '@shallot/plugin-shell': 'plugin-shell',
  '@shallot/plugin-skills': 'plugin-skills',
  '@shallot/plugin-summarization': 'plugin-summarization',
  '@shallot/plugin-telemetry': 'plugin-telemetry',
  '@shallot/plugin-toolset': 'plugin-toolset',
  '@shallot/store-postgres': 'store-postgres',
} as const;

export type PublishedPackage = keyof typeof folders;

/** Returns the folder in which the modules of this folder find a package. */
export function publishedFolder(name: PublishedPackage): string {
  return join(installed, name);
}

/** Returns the source folder of a workspace package. */
export function sourceFolder(name: PublishedPackage): string {
  return join(packages, folders[name]);
}

export function isPublishedPackage(name: string): name is PublishedPackage {
  return Object.hasOwn(folders, name);
}

interface Manifest extends Record<string, unknown> {
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Peers marked as optional, which only a part of the package needs. */
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
  readonly publishConfig?: Readonly<Record<string, unknown>>;
}

/**
 * Copies the packages into this folder's node_modules as npm would install them: with the exports of `publishConfig`,
 * so that the built files are measured. The workspace's own exports lead to the sources.
 */
export function layPublishedPackages(): void {
  for (const name of Object.keys(folders).filter(isPublishedPackage)) {
    const source = sourceFolder(name);
    if (!existsSync(join(source, 'dist', 'index.js'))) {
      throw new Error(`${join(source, 'dist')} is not built: run \`pnpm build\` first`);
    }
    const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
    const folder = publishedFolder(name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const published = { ...manifest, ...manifest.publishConfig };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(published, undefined, 2));
    cpSync(join(source, 'dist'), join(folder, 'dist'), { recursive: true });
    const needed = { ...manifest.dependencies, ...manifest.peerDependenciesMeta };
    for (const dependency of Object.keys(needed)) link(dependency, source, folder);
  }
}

/** Links a dependency that the package was built with, unless this folder has it too. */
function link(dependency: string, source: string, folder: string): void {
  if (isPublishedPackage(dependency) || existsSync(join(installed, dependency))) return;
  const link = join(folder, 'node_modules', dependency);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(realpathSync(join(source, 'node_modules', dependency)), link, 'dir');
}
