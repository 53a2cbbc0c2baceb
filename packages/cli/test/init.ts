import { readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { templates } from '../src/init/templates.ts';
import { makeProject, type Project } from './project.ts';

const packages = join(import.meta.dirname, '../..');
const inAll = [...new Set(Object.values(templates).flatMap(({ plugins }) => plugins.map(({ use }) => use)))];

/** Makes a project in which the plugins of all templates are installed. */
export function makeFullProject(): Project {
  const project = makeProject({});
  const names = inAll.map((use) => `@shallot/plugin-${use}`);
  project.write({
    'package.json': JSON.stringify({
      type: 'module',
      dependencies: Object.fromEntries(names.map((name) => [name, '*'])),
    }),
  });
  for (const use of inAll) {
    const link = join(project.folder, 'node_modules/@shallot', `plugin-${use}`);
    rmSync(link, { force: true });
    symlinkSync(join(packages, `plugin-${use}`), link, 'dir');
  }
  return project;
}

/** Lists the files of a project without node_modules, whose linked packages may change while other tests run. */
export function filesOf({ folder }: Project): string[] {
  return readdirSync(folder)
    .filter((name) => name !== 'node_modules')
    .flatMap((name) =>
      statSync(join(folder, name)).isDirectory()
        ? readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((path) =>
            join(name, path),
          )
        : [name],
    )
    .filter((path) => /\.\w+$/.test(path) && path !== '.shallot');
}
