export { checkModel, type CheckedModel } from './list/check-model.ts';
export { listModels, type ListedModels, type ListOptions } from './list/list-models.ts';
export { listProviders, type ListedProvider } from './list/list-providers.ts';
export type { Ability, ListedModel } from './list/listed-model.ts';
