import type { SourceLocation } from '@shallot/core';
import type { ProviderModelEntry } from '@shallot/core/config';

/** The place of a key of the entry, or of the whole. */
export type At = (...path: readonly (keyof ProviderModelEntry)[]) => { readonly at?: SourceLocation };
