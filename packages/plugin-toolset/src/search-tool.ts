import { defineTool, type RunInfo, type Tool } from '@shallot/core';

import { rankTools, type RankedTool } from './rank-tools.ts';

interface SearchToolParts {
  readonly name: string;
  readonly limit: number;
  /** Returns the tools that can be found in a run. */
  readonly candidates: (run: RunInfo) => readonly Tool[];
  /** Called with the names of the found tools, which are offered from the next step on. */
  readonly found: (run: RunInfo, names: readonly string[]) => void;
}

/** Returns the tool with which a model searches for other tools. */
export function searchTool({ name, limit, candidates, found }: SearchToolParts): Tool {
  return defineTool({
    name,
    description:
      'Finds tools that are not offered yet, by words of their names and descriptions. What it finds can be called from the next step on. Use it when no offered tool does what is needed. Names are mostly an English verb and a noun: search for those, such as "create invoice".',
    input: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What a tool should do, in a few English words.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'read',
    execute({ query = '' }, { run }) {
      const all = candidates(run);
      if (all.length === 0) return 'All tools are offered already.';
      const best = withTies(rankTools(typeof query === 'string' ? query : '', all), limit);
      if (best.length === 0) {
        const few = all.slice(0, limit).map((tool) => tool.name);
        return `No other tool matches. There are ${all.length} more tools, for example ${few.join(', ')}: try other words.`;
      }
      found(
        run,
        best.map((tool) => tool.name),
      );
      const lines = best.map((tool) => `- ${tool.name}: ${firstLine(tool.description)}`);
      return `These tools can be called from the next step on:\n${lines.join('\n')}`;
    },
  });
}

/** Returns the best tools, including ties with the last one, up to twice the limit. */
function withTies(ranked: readonly RankedTool[], limit: number): readonly Tool[] {
  const last = ranked[limit - 1]?.score ?? 0;
  return ranked
    .slice(0, 2 * limit)
    .filter(({ score }, index) => index < limit || score === last)
    .map(({ tool }) => tool);
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
