import type { ProviderModelEntry } from '@shallot/core/config';
import type { SourceLocation } from '@shallot/core/plugin';

/** The place of a key of the entry, or of the whole. */
export type At = (...path: readonly (keyof ProviderModelEntry)[]) => { readonly at?: SourceLocation };
