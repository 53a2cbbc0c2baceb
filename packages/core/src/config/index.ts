export { defineConfig, type Config } from './check/config.ts';
export { importPackage } from './modules/import-package.ts';
export { loadAgent, type LoadAgentOptions, type LoadedAgent } from './load-agent.ts';
export { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
export { loadStore, type LoadedStore } from './load-store.ts';
