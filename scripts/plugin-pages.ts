import { renderOutcomes } from './render-outcomes.ts';
import { renderPlugins } from './render-plugins.ts';

/** Returns the paths and texts of the pages that are generated from the plugins. The texts are not yet formatted. */
export async function pluginPages(): Promise<readonly (readonly [path: string, text: string])[]> {
  const pages = [...(await renderPlugins()), ['plugin-outcomes.md', renderOutcomes()] as const];
  return pages.map(([path, text]) => [`docs/reference/${path}`, text]);
}
