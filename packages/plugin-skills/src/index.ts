export type { ToolPattern } from './parsing/allowed-tools.ts';
export { loadSkills, type Skill, type SkillNotice, type SkillSet } from './finding/load-skills.ts';
export type { SkillsOptions, SkillsSettings } from './options.ts';
export type { SkillFacts } from './parsing/parse-skill.ts';
export type { YamlValue } from './parsing/parse-yaml.ts';
export { skills, skills as default } from './skills.ts';
