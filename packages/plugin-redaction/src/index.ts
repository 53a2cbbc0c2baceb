export type { Kind } from './detectors.ts';
export type { Find } from './finder-stage.ts';
export type { OwnDetector, RedactionOptions } from './options.ts';
export { redaction, redaction as default } from './redaction.ts';
export type { Action } from './replacements.ts';
export { restorePlaceholders, type RestoreOptions } from './restore-placeholders.ts';
