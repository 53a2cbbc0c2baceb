import type { ProviderModelEntry } from '@shallot/core/model';
import type { SourceLocation } from '@shallot/core/plugin';

const data = '@pydantic/genai-prices';

/**
 * Returns the context size of a model from the data package, which the user must install; undefined if it is unknown.
 * @throws `MODULE_NOT_FOUND` with the install command
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
