import { isInRange, isVersionRange } from '../base/version-range.ts';
import { addPluginEntry, pluginEntries, removePluginEntries } from './edit/edit-plugins.ts';
import { findPackage, packageAround } from './packages/find-package.ts';
import { lockFileNames, packageManagerOf } from './packages/install-command.ts';
import { pluginManifest } from './packages/manifest.ts';
import { isPath, shortName } from './packages/names.ts';
import { nearestPackage } from './packages/nearest-package.ts';
import { newestVersions } from './packages/newest-versions.ts';
import { ownPackages } from './packages/own-packages.ts';
import { pluginCandidates } from './packages/plugin-candidates.ts';
import { reasonNotToFit } from './packages/reason-not-to-fit.ts';
import { providerNeeds } from './provider-needs.ts';

/** What looks at the packages of a project and changes its config. */
export const projectTools = {
  addPluginEntry,
  pluginEntries,
  removePluginEntries,
  findPackage,
  packageAround,
  packageManagerOf,
  lockFileNames,
  pluginManifest,
  pluginCandidates,
  nearestPackage,
  ownPackages,
  providerNeeds,
  reasonNotToFit,
  newestVersions,
  isInRange,
  isVersionRange,
  isPath,
  shortName,
} as const;
