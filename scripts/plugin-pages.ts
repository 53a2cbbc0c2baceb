import { renderOutcomes } from './render-outcomes.ts';

/** The pages that are made from the plugins themselves: path and text, before the formatter. */
export async function pluginPages(): Promise<readonly (readonly [path: string, text: string])[]> {
  return [['docs/reference/plugin-outcomes.md', renderOutcomes()]];
}
