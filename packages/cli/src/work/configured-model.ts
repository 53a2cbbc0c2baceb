import type { ProviderModelEntry } from '@shallot/core/model';

/** The model of a config, of which some environment variables may not be set. */
export interface ConfiguredModel {
  /** The entry without the settings that are missing; undefined if no provider makes the model. */
  readonly entry: ProviderModelEntry | undefined;
  /** The variables that the model's entry names and that are not set. */
  readonly unset: readonly string[];
}

/** Reads the model of a config that was loaded without it: references to unset variables are still there. */
export function configuredModel(model: unknown): ConfiguredModel {
  const unset: string[] = [];
  return { entry: entryOf(withoutReferences(model, unset)), unset };
}

function entryOf(model: unknown): ProviderModelEntry | undefined {
  if (typeof model === 'string') {
    const slash = model.indexOf('/');
    const isPath = model.startsWith('.') || slash < 1;
    return isPath ? undefined : { provider: model.slice(0, slash), model: model.slice(slash + 1) };
  }
  if (typeof model !== 'object' || model === null) return undefined;
  const { provider, model: name }: Partial<ProviderModelEntry> = model;
  // The config was checked: an object with a provider is an entry.
  return typeof provider === 'string' && typeof name === 'string' ? (model as ProviderModelEntry) : undefined;
}

/** Leaves out members that refer to the environment, and adds their variables to `unset`. */
function withoutReferences(value: unknown, unset: string[]): unknown {
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const { $env: variable }: { readonly $env?: unknown } = value;
  if (typeof variable === 'string') {
    unset.push(variable);
    return undefined;
  }
  const members = Object.entries(value).map(
    ([key, member]: [string, unknown]) => [key, withoutReferences(member, unset)] as const,
  );
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** Returns true for plain objects. Others, such as models in a config in code, must stay as they are. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
