export { fetchPlugin, fetchPlugin as default } from './fetch-plugin.ts';
export type { FetchOptions } from './options.ts';
