import { ShallotError } from '@shallot/core';
import { isVersionRange, nearestPackage, ownPackages, pluginCandidates } from '@shallot/core/command';

import type { Project } from './find-project.ts';

/** A typed name, split into two parts. */
export interface TypedName {
  readonly name: string;
  /** The version range after the `@`, if there is one. */
  readonly range: string | undefined;
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Parses a typed plugin name. Accepts only package names, with an optional version range; rejects what a package
 * manager would treat as a path, URL, alias or flag. @throws `PACKAGE_NAME`
 */
export function readTypedName(typed: string): TypedName {
  const at = typed.indexOf('@', 1);
  const name = at === -1 ? typed : typed.slice(0, at);
  const range = at === -1 ? undefined : typed.slice(at + 1);
  const shown = JSON.stringify(typed);
  const refuse = (why: string): never => {
    throw new ShallotError('PACKAGE_NAME', { message: `${shown} ${why}` });
  };
  if (/^(?:\.{0,2}[/\\]|~[/\\]|[A-Za-z]:[/\\]|\.{1,2}$)/.test(typed)) {
    refuse('is a path. Only packages are installed; to use a file, list it in the config: use: ./plugin.ts');
  }
  if (
    typed.includes('://') ||
    /^(?:git|github|gitlab|bitbucket|file|link|npm|workspace|https?|jsr):/i.test(typed)
  ) {
    refuse('is an address. Only packages of the registry are installed; write the name of one.');
  }
  if (typed.startsWith('-'))
    refuse('is an option of a package manager, and no name. Write the name of a package.');
  if (name.length > 214 || !packageName.test(name)) {
    const lower = name.toLowerCase();
    const hint = packageName.test(lower) ? `Did you mean "${lower}"?` : 'Write the name of a package.';
    refuse(`is not the name of a package. ${hint}`);
  }
  if (range !== undefined && !isVersionRange(range)) {
    refuse(
      `asks for the version "${range}", which is no version range. Write ${name}@1.2.3, or ${name}@^1.0.0.`,
    );
  }
  return { name, range };
}

/**
 * Returns the known plugin name that a name is similar to, if the name refers to another package; undefined otherwise.
 */
export function nearlyNamed(name: string, { directory }: Project): string | undefined {
  const candidates = pluginCandidates(name);
  const near = nearestPackage(name, 'plugin', directory);
  return near === undefined || candidates.includes(near) ? undefined : near;
}

/**
 * Returns the packages that a name may refer to; only our own package if there is one, because nobody else can publish
 * in our scope.
 */
export function publishedCandidates(name: string): readonly string[] {
  const candidates = pluginCandidates(name);
  const own = candidates.find((each) => ownPackages.plugin.includes(each));
  if (own !== undefined) return [own];
  return candidates.filter((each) => each === name || !each.startsWith('@shallot/')).toReversed();
}
