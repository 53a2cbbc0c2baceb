import { parsePermissionRule, ruleLists, type RuleList } from '@shallot/core/plugin';

/** The rules of another agent in the form of this config, and those that have no counterpart. */
export interface TakenRules {
  readonly lists: Readonly<Record<RuleList, readonly string[]>>;
  readonly left: readonly { readonly list: RuleList; readonly rule: string; readonly why: string }[];
}

type Taken = { readonly rule: string } | { readonly why: string };

/** Translates the `permissions` of `.claude/settings.json`. Anything else in the lists than a string is left out. */
export function takeOverRules(permissions: Readonly<Partial<Record<RuleList, unknown>>>): TakenRules {
  const texts = (list: RuleList): readonly string[] => {
    const rules = permissions[list];
    return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [];
  };
  const all = ruleLists.flatMap((list) => texts(list).map((text) => ({ list, text, taken: take(text) })));
  const inList = (list: RuleList): readonly string[] => [
    ...new Set(all.flatMap((each) => (each.list === list && 'rule' in each.taken ? [each.taken.rule] : []))),
  ];
  return {
    lists: { deny: inList('deny'), ask: inList('ask'), allow: inList('allow') },
    left: all.flatMap(({ list, text, taken }) =>
      'why' in taken ? [{ list, rule: text, why: taken.why }] : [],
    ),
  };
}

function take(text: string): Taken {
  const [, tool = '', pattern] = /^([\w-]+)(?:\((.*)\))?$/s.exec(text) ?? [];
  const taken = takeOne(tool, pattern);
  if ('why' in taken) return taken;
  // An empty pattern means any arguments to the other agent, and no arguments in `allow` here. In `deny` it is refused.
  const parsed = parsePermissionRule(taken.rule, 'deny');
  return 'advice' in parsed ? { why: parsed.advice } : taken;
}

function takeOne(tool: string, pattern: string | undefined): Taken {
  const [, server, name = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(tool) ?? [];
  if (server !== undefined)
    return pattern === undefined
      ? { rule: `${server}_${name}` }
      : { why: 'arguments of MCP tools have names here' };
  switch (tool) {
    case 'Bash':
      return command(pattern);
    case 'Read':
    case 'Grep':
    case 'Glob':
    case 'LS':
      return path('read', pattern);
    case 'Edit':
    case 'Write':
    case 'MultiEdit':
      return path('edit', pattern);
    case 'WebFetch':
      return host(pattern);
    default:
      return { why: 'there is no such tool here' };
  }
}

/** Translates a rule about commands. `npm run test:*` matches these words and any that follow. */
function command(pattern: string | undefined): Taken {
  if (pattern === undefined || pattern === '*') return { rule: 'shell' };
  const text = pattern.replace(/:\*$/, ' *');
  return /["'\\;|&<>$`()]/.test(text)
    ? { why: 'rules about commands have no quotes and operators here' }
    : { rule: `shell(${text})` };
}

function path(word: string, pattern: string | undefined): Taken {
  if (pattern === undefined) return { rule: word };
  if (/^(?:~|\/\/)/.test(pattern)) return { why: 'paths begin at the root of the files here' };
  return { rule: `${word}(${pattern.replace(/^\.\//, '/')})` };
}

function host(pattern: string | undefined): Taken {
  if (pattern === undefined) return { rule: 'fetch' };
  const [, domain] = /^domain:(.+)$/.exec(pattern) ?? [];
  return domain === undefined ? { why: 'only domains are known' } : { rule: `fetch(${domain})` };
}
