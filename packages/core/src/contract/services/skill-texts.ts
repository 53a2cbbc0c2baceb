import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunInfo } from '../run-info.ts';

/** The skills of a plugin, for others that give them to a model. */
export interface SkillTexts {
  /** Returns the text of a skill as a model reads it, and undefined if the run has no such skill. */
  readonly read: (run: RunInfo, name: string) => Promise<string | undefined>;
}

/** Returns the key for a plugin's skills, by the plugin's id. */
export function skillTextsKey(plugin: string): ServiceKey<SkillTexts> {
  return serviceKey(`shallot/skill-texts/${plugin}`);
}
