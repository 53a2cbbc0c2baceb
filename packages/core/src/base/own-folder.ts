import { join } from 'node:path';

/** The root folder of the core's package, from its sources and from its build. */
export const ownFolder: string = join(import.meta.dirname, '..', '..', '/');
