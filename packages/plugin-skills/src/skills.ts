import { definePlugin, type RunInfo, type Tool, type ToolCall } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';
import {
  joinInstructions,
  preApprovalsKey,
  skillTextsKey,
  userCommandsKey,
  type SkillTexts,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { SkillIndex } from './finding/skill-index.ts';
import { renderKeptTexts, withReading, type KeptText } from './kept-text.ts';
import { digestNotices, tellNotices } from './listing/notices.ts';
import { skillsOptions } from './options.ts';
import { coversCall } from './parsing/allowed-tools.ts';
import { RunSkills } from './run-skills.ts';
import { skillCommands } from './skill-commands.ts';
import { readSkillText, skillTool } from './skill-tool.ts';
import { tellSources } from './tell-sources.ts';

/**
 * Lists the skills to the model, lets it read them, and keeps the ones it has read in its context. Offers their
 * `allowed-tools` to approval plugins that accept pre-approvals from this plugin.
 */
export const skills = definePlugin({
  name: 'skills',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 47,
  options: skillsOptions,
  setup({ id, options, directory, files, hooks, tools, aroundRun, state, tokens, signal, ...plugin }) {
    const { provide, onReady, onStop } = plugin;
    const { toolName, toolNames, maxReadChars: maxChars, maxKeptTokens } = options;
    const index = new SkillIndex({ directory, sources: options.sources, depth: options.depth });
    const live = new RunSkills(options, { count: tokens.text, signal, files, index });
    onStop(() => index.settle());
    tellSources(options.sources, { id, files, provide, onReady });
    let agentContext: number | undefined;
    const kept = state<readonly KeptText[]>({ key: 'read', initial: () => [] });
    const told = state<string>({ key: 'told', initial: () => '' });
    const tool = skillTool({
      name: toolName,
      maxChars,
      skillsOf: async (run) => (await live.found(run)).skills,
      onRead: (run, { skill: { name, path }, ...reading }) => {
        const text = { name, path, ...reading, tokens: tokens.text(reading.text) };
        kept.update(run, (texts) => withReading(texts, text, maxKeptTokens * 2));
      },
    });

    tools.add(tool);
    onReady(({ model }) => {
      agentContext = model.limits?.contextTokens;
    });
    aroundRun((run, next) => live.during(run, next));

    hooks.beforeAgent.tapPromise('load skills', async (run) => {
      const set = await live.found(run);
      const { list } = live.offer(set, tool, agentContext);
      const digest = digestNotices(set.notices, list);
      if (digest === told.get(run)) return;
      told.set(run, digest);
      tellNotices(run, set.notices, list);
    });

    hooks.wrapModelCall.tapPromise('offer skills', async (request, next, { run }) => {
      const again = keptText(run, request);
      // Another plugin may have hidden the tool, or the last step may be one without tools.
      if (request.tools?.some(({ name }) => name === toolName) !== true) {
        if (again === '') return next(request);
        return next({ ...request, instructions: joinInstructions(request.instructions, again) });
      }
      const set = await live.found(run);
      const offer = live.offer(set, tool, request.model.limits?.contextTokens ?? agentContext);
      const instructions = joinInstructions(request.instructions, offer.list.text, again);
      const answer = next({ ...request, tools: withNames(request.tools, offer.tool), instructions });
      // Runs while the model answers, so that nothing waits for it.
      if (run.step === 1) live.refresh(run);
      return answer;
    });

    provide(preApprovalsKey(id), { allows });
    provide(skillTextsKey(id), skillTexts(live, { offset: 0, maxChars, toolName }));
    provide(userCommandsKey(id), skillCommands({ maxChars, toolName, found: (there) => live.search(there) }));

    /** Returns the tools with the one that accepts the names of the skills, or without it if there are no skills. */
    function withNames(offered: readonly Tool[], named: Tool | undefined): readonly Tool[] {
      if (named === undefined) return offered.filter((each) => each !== tool);
      return offered.map((each) => (each === tool ? named : each));
    }

    /**
     * Returns skill texts that were read and are no longer among the messages: they were summarized, or cleared away. As
     * many as there is room for; an empty string if there are none.
     */
    function keptText(run: RunInfo, { messages, model }: ModelRequest): string {
      const missing = live.finder(run).missing(messages, kept.get(run));
      if (missing.length === 0) return '';
      const room = Math.min(maxKeptTokens, (model.limits?.contextTokens ?? Infinity) / 4);
      const { text, left } = renderKeptTexts(missing, room);
      if (left.length > 0) {
        live.tellOnce(run, `left ${left.map(({ callId }) => callId).join()}`, () => tellLeft(run, left));
      }
      return text;
    }

    /**
     * Returns the reason why a skill allows a call; undefined if none does. Only skills count that were read in this
     * session and have not changed since.
     */
    async function allows(call: ToolCall, run: RunInfo | undefined): Promise<string | undefined> {
      if (run === undefined) return undefined;
      const { skills: present } = await live.found(run);
      for (const { name, path, revision } of kept.get(run)) {
        const skill = present.get(name);
        if (skill?.path !== path || skill.revision !== revision) continue;
        const pattern = skill.allowedTools.find(
          (each) => nameHere(each.tool) === call.name && coversCall(each, call),
        );
        if (pattern !== undefined) return `${pattern.text} of the skill ${name}`;
      }
      return undefined;
    }

    function nameHere(name: string): string {
      return Object.hasOwn(toolNames, name) ? (toolNames[name] ?? name) : name;
    }
  },
});

function skillTexts(live: RunSkills, page: Parameters<typeof readSkillText>[2]): SkillTexts {
  return {
    async read(run, name) {
      const skill = (await live.found(run)).skills.get(name);
      return skill && (await readSkillText(run.files, skill, page)).text;
    },
  };
}

function tellLeft(run: RunInfo, left: readonly KeptText[]): void {
  const names = [...new Set(left.map(({ name }) => name))].join(', ');
  run.warn(
    'NOT_KEPT',
    `There is no room for the text of these skills in the request: ${names}. The model can read them again.`,
  );
}
