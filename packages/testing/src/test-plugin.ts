import type { PluginFactory } from '@shallot/core';

import { behaviourChecks } from './behaviour-checks.ts';
import { registerChecks, type ConformanceCheck, type TestRunner } from './conformance.ts';
import { manifestChecks } from './manifest-checks.ts';
import { pluginSubject, type PluginSuite } from './plugin-suite.ts';
import { entryChecks } from './plugin/entry-checks.ts';
import { optionChecks } from './plugin/option-checks.ts';
import { processChecks } from './plugin/process-checks.ts';
import { secretChecks } from './plugin/secret-checks.ts';
import { stateChecks } from './plugin/state-checks.ts';

/**
 * Registers the conformance suite of a plugin: `await testPlugin(audit, { options })` at the top of a test file. The
 * suite checks that the plugin works beside others in any agent; it does not test the plugin's purpose.
 */
export function testPlugin<Input>(
  factory: PluginFactory<Input>,
  suite: PluginSuite<Input> = {},
  runner?: TestRunner,
): Promise<void> {
  return registerChecks(`the plugin ${factory.definition.name}`, pluginChecks(factory, suite), runner);
}

/** Returns the checks of the plugin suite, except those in `suite.skip`. @throws if that names an unknown check */
export function pluginChecks<Input>(
  factory: PluginFactory<Input>,
  suite: PluginSuite<Input> = {},
): ConformanceCheck[] {
  const subject = pluginSubject(factory, suite);
  const checks = [
    ...manifestChecks(factory.definition, suite.manifest),
    ...entryChecks(subject, suite.manifest),
    ...optionChecks(subject),
    ...behaviourChecks(subject),
    ...stateChecks(subject),
    ...secretChecks(subject),
    ...processChecks(subject),
  ];
  const skipped = Object.keys(suite.skip ?? {});
  const unknown = skipped.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) throw new Error(`skip names checks that do not exist: "${unknown.join('", "')}"`);
  return checks.filter((check) => !skipped.includes(check.name));
}
