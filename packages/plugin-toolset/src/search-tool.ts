import { defineTool, type RunInfo, type Tool } from '@shallot/core';

import { rankTools } from './rank-tools.ts';

interface SearchToolParts {
  readonly name: string;
  readonly limit: number;
  /** Returns the tools that can be found in a run. */
  readonly candidates: (run: RunInfo) => readonly Tool[];
  /** Told what was found: it is offered from the next step on. */
  readonly found: (run: RunInfo, names: readonly string[]) => void;
}

/** The tool by which a model finds the others. */
export function searchTool({ name, limit, candidates, found }: SearchToolParts): Tool {
  return defineTool({
    name,
    description:
      'Finds tools that are not offered yet, by words of their names and descriptions. What it finds can be called from the next step on. Use it when no offered tool does what is needed.',
    input: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What a tool should do, in a few words.' } },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'read',
    execute({ query = '' }, { run }) {
      const all = candidates(run);
      const best = rankTools(typeof query === 'string' ? query : '', all).slice(0, limit);
      if (best.length === 0) {
        const few = all.slice(0, limit).map((tool) => tool.name);
        return `No tool matches. There are ${all.length} more tools, for example ${few.join(', ')}: try other words.`;
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

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
