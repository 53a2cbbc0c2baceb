export {
  defineConfig,
  type Config,
  type PluginConfigEntry,
  type ProviderModelEntry,
} from './check/config.ts';
export { importPackage } from './modules/import-package.ts';
export { loadAgent, type LoadAgentOptions, type LoadedAgent, type ReloadedAgent } from './load-agent.ts';
export { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
export { loadStore, type LoadedStore, type LoadStoreOptions } from './load-store.ts';
