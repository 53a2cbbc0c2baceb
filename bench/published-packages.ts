import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '..', 'packages');
const folders = {
  '@shallot/core': 'core',
  '@shallot/model-ai-sdk': 'model-ai-sdk',
  '@shallot/plugin-summarization': 'plugin-summarization',
  '@shallot/plugin-telemetry': 'plugin-telemetry',
} as const;

export type PublishedPackage = keyof typeof folders;

/** Where a package is found by everything in this folder. */
export function publishedFolder(name: PublishedPackage): string {
  return join(import.meta.dirname, 'node_modules', name);
}

/** The sources of a package of the workspace. */
export function sourceFolder(name: PublishedPackage): string {
  return join(packages, folders[name]);
}

export function isPublishedPackage(name: string): name is PublishedPackage {
  return Object.hasOwn(folders, name);
}

interface Manifest extends Record<string, unknown> {
  readonly publishConfig?: Readonly<Record<string, unknown>>;
}

/**
 * Lays the packages into this folder's node_modules as npm would publish them: with the exports of `publishConfig`, so
 * that the built files are measured. The workspace's own exports lead to the sources.
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
    const [from, to] = [join(source, 'dist'), join(folder, 'dist')];
    // The core finds its dependencies where it was built; what needs the core has to find the one that is laid here.
    if (name === '@shallot/core') symlinkSync(from, to, 'dir');
    else cpSync(from, to, { recursive: true });
  }
}
