export {
  defineConfig,
  type Config,
  type PluginConfigEntry,
  type ProviderModelEntry,
} from './check/config.ts';
export { importPackage } from './modules/import-package.ts';
export { loadAgent, type LoadAgentOptions, type LoadedAgent, type ReloadedAgent } from './load-agent.ts';
export type { FilesInDirectory } from './making/make-files.ts';
export { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
export type { ChangedFile } from './read/refuse-changed.ts';
export { loadStore, type LoadedStore, type LoadStoreOptions } from './load-store.ts';
