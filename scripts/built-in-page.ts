import { join } from 'node:path';

import type { Plugin } from 'rolldown';

import { bundlePage } from '../packages/web/bundle-page.ts';
import { root } from './workspace.ts';

const bundling = join(root, 'packages/server/src/page/web-page.ts');

/** The plugin that builds the page into the server, in place of the module that bundles it from the sources. */
export interface BuiltInPage extends Plugin {
  /** The files that the page was made from; empty before the build. */
  readonly modules: readonly string[];
}

/** Returns that plugin for the bundler. */
export function builtInPage(): BuiltInPage {
  const modules: string[] = [];
  return {
    name: 'built-in-page',
    modules,
    async load(id) {
      if (id !== bundling) return null;
      const { html, policy, modules: found } = await bundlePage();
      modules.push(...found);
      const code = `export async function webPage() {\n  return ${JSON.stringify({ html, policy })};\n}\n`;
      return { code, moduleType: 'js' };
    },
  };
}
