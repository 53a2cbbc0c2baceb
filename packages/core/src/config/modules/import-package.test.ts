import { expect, it } from 'vitest';

import { brief, errorOf, makeProject, pluginPackage } from '../../../test/test-project.ts';
import { importPackage } from './import-package.ts';

it('a package is imported as a module in a directory would', async () => {
  const project = makeProject(pluginPackage('shallot-plugin-tea'));
  const { default: made } = await importPackage('shallot-plugin-tea', { directory: project.directory });
  expect(made).toHaveProperty('definition.name', 'tea');
});

it('a package that is not installed is named with its command, or with a name that was meant', async () => {
  const project = makeProject({ 'pnpm-lock.yaml': '', ...pluginPackage('@acme/tea') });
  const { directory } = project;
  const known = await errorOf(importPackage('@acme/teas', { directory }));
  expect(brief(project, known)).toMatchInlineSnapshot(`
    [
      "MODULE_NOT_FOUND . No package for "@acme/teas" is installed. Run: pnpm add @acme/teas",
    ]
  `);
  const at = { file: project.path('a.yaml'), line: 2, column: 3 };
  const written = await errorOf(importPackage('@acme/teas', { directory, at, isKnown: false }));
  expect(brief(project, written)).toMatchInlineSnapshot(`
    [
      "MODULE_NOT_FOUND a.yaml:2:3 No package for "@acme/teas" is installed. Fix the name, or install the package it belongs to. A path starts with "./".",
    ]
  `);
});
