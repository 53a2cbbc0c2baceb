import { ShallotError } from '@shallot/core';

import type { Project } from './find-project.ts';

/** What somebody typed, in its two parts. */
export interface TypedName {
  readonly name: string;
  /** The range of versions behind the `@`, if there is one. */
  readonly range: string | undefined;
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Takes apart what was typed as the name of a plugin. Only names of packages pass, with a range of versions perhaps: what a
 * package manager would take as a path, a URL, an alias or a flag is refused here.
 * @throws `PACKAGE_NAME`
 */
export function readTypedName(typed: string, { isVersionRange }: Project['tools']): TypedName {
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

/** A name that is nearly that of a known plugin, and stands for another package; undefined for all others. */
export function nearlyNamed(name: string, { tools, directory }: Project): string | undefined {
  const candidates = tools.pluginCandidates(name);
  const near = tools.nearestPackage(name, 'plugin', directory);
  return near === undefined || candidates.includes(near) ? undefined : near;
}

/** The packages that a name can mean and that anybody can have published: nobody else publishes under our scope. */
export function publishedCandidates(name: string, { tools }: Project): readonly string[] {
  const candidates = tools.pluginCandidates(name);
  const own = candidates.find((each) => tools.ownPackages.plugin.includes(each));
  if (own !== undefined) return [own];
  return candidates.filter((each) => each === name || !each.startsWith('@shallot/')).toReversed();
}
