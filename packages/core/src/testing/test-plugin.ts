import type { PluginFactory } from '../contract/plugin.ts';
import { behaviourChecks } from './behaviour-checks.ts';
import { registerChecks, type ConformanceCheck, type TestRunner } from './conformance.ts';
import { manifestChecks } from './manifest-checks.ts';
import { pluginSubject, type PluginSuite } from './plugin-suite.ts';

/**
 * Registers the conformance suite of a plugin: `await testPlugin(audit, { options })` at the top of a test file. What it
 * needs not know of the plugin's purpose it checks: that it is a good neighbour in every agent.
 */
export function testPlugin<Input>(
  factory: PluginFactory<Input>,
  suite: PluginSuite<Input> = {},
  runner?: TestRunner,
): Promise<void> {
  return registerChecks(`the plugin ${factory.definition.name}`, pluginChecks(factory, suite), runner);
}

/** The suite's single checks, without those that `suite.skip` names. */
export function pluginChecks<Input>(
  factory: PluginFactory<Input>,
  suite: PluginSuite<Input> = {},
): ConformanceCheck[] {
  const checks = [
    ...manifestChecks(factory.definition, suite.manifest),
    ...behaviourChecks(pluginSubject(factory, suite)),
  ];
  const skipped = Object.keys(suite.skip ?? {});
  const unknown = skipped.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) throw new Error(`skip names checks that do not exist: "${unknown.join('", "')}"`);
  return checks.filter((check) => !skipped.includes(check.name));
}
