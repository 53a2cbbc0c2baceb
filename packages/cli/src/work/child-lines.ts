import { count } from '../terminal/count.ts';
import { visibleLine } from '../terminal/visible.ts';
import type { ChildSession } from './child-sessions.ts';

/** Returns a line per subagent: its session, its agent and its status, indented by its depth. */
export function childLines(children: readonly ChildSession[]): readonly string[] {
  return children.map(({ depth, session: { agent, id, messages, status } }) => {
    const facts = [visibleLine(agent?.id ?? 'unnamed'), status ?? 'new', count(messages, 'message')];
    return `${'  '.repeat(depth - 1)}- ${visibleLine(id)}  ${facts.join(', ')}`;
  });
}
