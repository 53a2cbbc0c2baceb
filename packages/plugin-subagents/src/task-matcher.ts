import { fitsPattern, type CallMatcher, type Touch } from '@shallot/core/plugin';

/** Returns the matcher by which permission rules judge calls of the tool: by the agent to which a call delegates. */
export function taskMatcher(toolName: string, agents: readonly string[]): CallMatcher {
  return {
    subjects: ['task'],
    tools: () => [toolName],
    advise: (pattern) =>
      agents.some((agent) => covers(pattern, agent))
        ? undefined
        : `there is no such agent; write one of ${agents.join(', ')}`,
    within: (pattern, wider) => fitsPattern(wider, pattern),
    touches: ({ input }) => {
      const given: unknown =
        typeof input === 'object' && input !== null ? Reflect.get(input, 'agent') : undefined;
      const name = agents.find((agent) => agent === given);
      return name === undefined ? undefined : [agentTouch(name)];
    },
  };
}

function agentTouch(name: string): Touch {
  return {
    subject: 'task',
    // To delegate changes nothing by itself: each call of the other agent is judged by the same rules.
    access: 'read',
    what: name,
    covers: (pattern, list) => (list === 'allow' ? fitsPattern(pattern, name) : covers(pattern, name)),
    narrowest: name,
  };
}

/** Returns true if a pattern covers a name, regardless of case. */
function covers(pattern: string, name: string): boolean {
  return fitsPattern(pattern.toLowerCase(), name.toLowerCase());
}
