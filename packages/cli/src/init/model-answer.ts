import { providerNeeds, type ProviderNeeds } from '@shallot/core/command';

/** The model that `init` writes when none is named: it needs no key. */
export const offline = 'offline';

/** The model of a first agent. */
export interface ModelAnswer {
  /** `provider/model` or `offline`. */
  readonly name: string;
  /** The address of the provider, for one that has none of its own. */
  readonly baseURL?: string | undefined;
}

/** Returns the fault of a model's name; undefined for a valid one. */
export function nameFault(name: string): string | undefined {
  if (name === offline) return undefined;
  if (!/^[a-z0-9-]+\/[\w./:@-]+$/i.test(name)) {
    return `${JSON.stringify(name)} is not the name of a model. Write provider/model, or ${offline}.`;
  }
  const provider = providerOf(name);
  if (Object.hasOwn(providerNeeds, provider)) return undefined;
  return `The provider ${JSON.stringify(provider)} is not known. Write one of ${Object.keys(providerNeeds).join(', ')}; a model of another package goes into the config by hand.`;
}

/** Returns the fault of an address; undefined for a valid one. */
export function addressFault(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return `${JSON.stringify(address)} is not an address. Write one such as http://localhost:8000/v1.`;
  }
  if (url.username === '' && url.password === '') return undefined;
  return 'The address contains a user name or a password, which are not sent from there. Leave them out.';
}

/** Returns the fault of a valid model whose address is missing or superfluous; undefined for a complete one. */
export function modelFault({ name, baseURL }: ModelAnswer): string | undefined {
  if (name === offline && baseURL !== undefined) {
    return 'The offline model has no address. Leave --base-url out, or name a model.';
  }
  if (baseURL !== undefined || needsOf(name)?.needsURL !== true) return undefined;
  return `The provider ${JSON.stringify(providerOf(name))} has no address of its own. Add --base-url, such as --base-url http://localhost:8000/v1.`;
}

/** Returns what a model needs of its provider; undefined for the offline one and for unknown providers. */
export function needsOf(name: string): ProviderNeeds | undefined {
  return name === offline ? undefined : providerNeeds[providerOf(name)];
}

/** Returns the environment variables that requests to a provider need. */
export function variablesOf({ key, variables = [] }: ProviderNeeds): readonly string[] {
  return [...(key === undefined ? [] : [key]), ...variables];
}

/** Returns the model as it stands in a config. */
export function modelEntry({ name, baseURL }: ModelAnswer): unknown {
  if (baseURL === undefined) return name;
  const provider = providerOf(name);
  return { provider, baseURL, model: name.slice(provider.length + 1) };
}

function providerOf(name: string): string {
  return name.split('/', 1)[0] ?? '';
}
