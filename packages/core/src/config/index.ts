export {
  defineConfig,
  type Config,
  type ModuleEntry,
  type PluginConfigEntry,
  type ProviderModelEntry,
  type StoreEntry,
} from './check/config.ts';
export type { KnownPlugin } from './check/config-json-schema.ts';
export { configValues, type ConfigValue } from './config-values.ts';
export type { ConfigPath } from './modules/locate.ts';
export type { EnvFile } from './read/env-file.ts';
export { importPackage } from './modules/import-package.ts';
export { loadAgent, type LoadAgentOptions, type LoadedAgent, type ReloadedAgent } from './load-agent.ts';
export { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
export { loadPluginOptions, type LoadedPluginOptions } from './load-plugin-options.ts';
export { loadStore, type DefaultStore, type LoadedStore, type LoadStoreOptions } from './load-store.ts';
export { trackPlugins } from '../hooks/plugin-context.ts';
export { whereThrown } from './modules/where-thrown.ts';
export { whoThrew, type Thrower } from './modules/who-threw.ts';
export type { ValueOrigin } from './value-origin.ts';
export { loadProjectTools, type ProjectTools } from './load-project-tools.ts';
export { installedSchema, type InstalledSchema } from './installed-schema.ts';
export { diagnose, type DiagnosedPlugin, type Diagnosis } from './diagnose.ts';
export { findConfig } from './read/find-config.ts';
