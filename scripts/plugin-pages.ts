import { renderOutcomes } from './render-outcomes.ts';
import { renderPlugins } from './render-plugins.ts';

/** The pages that are made from the plugins themselves: path and text, before the formatter. */
export async function pluginPages(): Promise<readonly (readonly [path: string, text: string])[]> {
  const pages = [...(await renderPlugins()), ['plugin-outcomes.md', renderOutcomes()] as const];
  return pages.map(([path, text]) => [`docs/reference/${path}`, text]);
}
