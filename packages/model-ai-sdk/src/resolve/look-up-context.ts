import type { ProviderModelEntry } from '@shallot/core/config';
import type { SourceLocation } from '@shallot/core/plugin';

const data = '@pydantic/genai-prices';

/**
 * The size of a model's context by the data package, which is the user's own dependency; undefined if it does not know.
 * @throws `MODULE_NOT_FOUND` with the command that installs it
 */
export async function lookUpContextTokens(
  { provider, model }: ProviderModelEntry,
  place: { readonly directory: string; readonly at?: SourceLocation },
): Promise<number | undefined> {
  const { importPackage } = await import('@shallot/core/config');
  const { calcPrice } = await importPackage(data, place);
  if (typeof calcPrice !== 'function') return undefined;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const found = Reflect.apply(calcPrice, undefined, [usage, model, { providerId: provider }]) as {
    readonly model?: { readonly context_window?: unknown };
  } | null;
  const size = found?.model?.context_window;
  return typeof size === 'number' && Number.isInteger(size) && size > 0 ? size : undefined;
}
