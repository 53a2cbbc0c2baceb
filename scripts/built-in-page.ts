import { join } from 'node:path';

import type { Plugin } from 'rolldown';

import { bundlePage } from '../packages/web/bundle-page.ts';
import { root } from './workspace.ts';

const bundling = join(root, 'packages/server/src/page/web-page.ts');

/** Builds the page into the server: in the place of the module that bundles it from the sources. */
export interface BuiltInPage extends Plugin {
  /** The files that the page was made of, after the build. */
  readonly modules: readonly string[];
}

/** Returns the plugin of the bundler that does it. */
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
