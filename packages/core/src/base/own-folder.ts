import { join } from 'node:path';

/** The core's package: this file is two levels down, as a source and as a build. */
export const ownFolder: string = join(import.meta.dirname, '..', '..', '/');
