// For the `shallot` command only, which checks `commandApi` before it uses anything else. Other programs must not rely
// on these exports.
export { commandApi } from './command-api.ts';
export { isInRange, isVersionRange } from './base/version-range.ts';
export type { KnownPlugin } from './config/check/config-json-schema.ts';
export { configValues, type ConfigValue } from './config/config-values.ts';
export { diagnose, type DiagnosedPlugin, type DiagnosedTool, type Diagnosis } from './config/diagnose.ts';
export { installedSchema, type InstalledSchema } from './config/installed-schema.ts';
export { loadConfigEditor, type ConfigEditor } from './config/load-config-editor.ts';
export { loadPluginOptions, type LoadedPluginOptions } from './config/load-plugin-options.ts';
export type { ConfigPath } from './config/modules/locate.ts';
export { manifestFault } from './config/modules/manifest-fault.ts';
export { whereThrown } from './config/modules/where-thrown.ts';
export { whoThrew, type Thrower } from './config/modules/who-threw.ts';
export { findPackage, packageAround } from './config/packages/find-package.ts';
export { isPackageManager, lockFileNames, packageManagerOf } from './config/packages/install-command.ts';
export {
  manifestConfig,
  parseManifest,
  pluginManifest,
  type ManifestEntry,
} from './config/packages/manifest.ts';
export { isPath, shortName } from './config/packages/names.ts';
export { nearestPackage } from './config/packages/nearest-package.ts';
export { newestVersions } from './config/packages/newest-versions.ts';
export { ownPackages } from './config/packages/own-packages.ts';
export { pluginCandidates } from './config/packages/plugin-candidates.ts';
export { reasonForPeer, reasonNotToFit } from './config/packages/reason-not-to-fit.ts';
export { loadConfigFor } from './config/load-config.ts';
export type { ChangedFile } from './config/read/refuse-changed.ts';
export { providerNeeds, type ProviderNeeds } from './config/packages/provider-needs.ts';
export { findConfig } from './config/read/find-config.ts';
export type { ValueOrigin } from './config/value-origin.ts';
export { trackPlugins } from './hooks/plugin-context.ts';
export type { PlaceReason } from './contract/hooks.ts';
export { characterNumber } from './contract/visible.ts';
export type { LogStream } from './log/logger.ts';
