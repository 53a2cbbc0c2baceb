export type { ToolPattern } from './allowed-tools.ts';
export { loadSkills, type Skill, type SkillNotice, type SkillSet } from './load-skills.ts';
export type { SkillsOptions, SkillsSettings } from './options.ts';
export type { SkillFacts } from './parse-skill.ts';
export type { YamlValue } from './parse-yaml.ts';
export { skills, skills as default } from './skills.ts';
