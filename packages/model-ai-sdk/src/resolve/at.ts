import type { ProviderModelEntry } from '@shallot/core/model';
import type { SourceLocation } from '@shallot/core/plugin';

/** Returns the location of a key of the model entry; of the whole entry without a key. */
export type At = (...path: readonly (keyof ProviderModelEntry)[]) => { readonly at?: SourceLocation };
