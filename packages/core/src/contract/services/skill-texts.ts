import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunInfo } from '../run-info.ts';

/** The skills of a plugin, for others that give them to a model. */
export interface SkillTexts {
  /** Returns the text of a skill as a model reads it; undefined if the run has no such skill. */
  readonly read: (run: RunInfo, name: string) => Promise<string | undefined>;
}

const skillTextsPrefix = 'shallot/skill-texts/';

/** Returns the key for a plugin's skills, by the plugin's id. `skillText` of the ready agent queries all of them. */
export function skillTextsKey(plugin: string): ServiceKey<SkillTexts> {
  return serviceKey(`${skillTextsPrefix}${plugin}`);
}

/** Returns true for a service that is provided under a `skillTextsKey`. */
export function isSkillTexts(name: string, _service: unknown): _service is SkillTexts {
  return name.startsWith(skillTextsPrefix);
}
