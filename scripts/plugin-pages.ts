import { renderOutcomes } from './render-outcomes.ts';
import { renderPlugins } from './render-plugins.ts';

/** The pages that are made from the plugins themselves: path and text, before the formatter. */
export async function pluginPages(): Promise<readonly (readonly [path: string, text: string])[]> {
  return [
    ['docs/reference/plugins.md', await renderPlugins()],
    ['docs/reference/plugin-outcomes.md', renderOutcomes()],
  ];
}
