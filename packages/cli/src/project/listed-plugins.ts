import type { Project } from './find-project.ts';

/** The group of a project's manifest that lists a package, and the range there. */
export interface Listing {
  readonly dev: boolean;
  readonly range: string;
}

/** How a project's manifest lists a package; undefined if it does not. */
export function listedIn({ tools, home }: Project, name: string): Listing | undefined {
  const manifest = tools.packageAround(home)?.manifest;
  const groups = [
    [manifest?.dependencies, false],
    [manifest?.optionalDependencies, false],
    [manifest?.devDependencies, true],
  ] as const;
  for (const [group, dev] of groups) {
    const range = rangesOf(group)[name];
    if (range !== undefined) return { dev, range };
  }
  return undefined;
}

/** The packages that a project's manifest lists and that are plugins, with the versions installed. */
export function listedPlugins(
  project: Project,
): readonly { readonly name: string; readonly version: string }[] {
  const { tools, home, directory } = project;
  const manifest = tools.packageAround(home)?.manifest;
  const names = [manifest?.dependencies, manifest?.devDependencies, manifest?.optionalDependencies].flatMap(
    (group) => Object.keys(rangesOf(group)),
  );
  return [...new Set(names)].flatMap((name) => {
    const found = tools.findPackage(name, directory);
    if (found === undefined || tools.pluginManifest(found.manifest).plugin === undefined) return [];
    const { version } = found.manifest;
    return typeof version === 'string' ? [{ name, version }] : [];
  });
}

function rangesOf(group: unknown): Readonly<Record<string, string>> {
  if (typeof group !== 'object' || group === null) return {};
  return Object.fromEntries(
    Object.entries(group).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
