import { expect, it } from 'vitest';

import { agentWith, callTools, raw } from '../../test/mcp.ts';

const look = { name: 's_look' };

it('a server that answers with 300 MB fails the call, and is held to no more memory than a message may have', async () => {
  const before = process.memoryUsage().rss;
  const { texts } = await callTools({ servers: { s: raw('huge') } }, [look]);
  expect(texts[0]).toContain('mcp/SERVER_FAILED: The call of look failed (MCP server s)');
  expect(texts[0]).toContain('the answer is larger than 10485760 bytes');
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
});

it('5,000 tools let others work while they are taken in', async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  const { agent } = await agentWith({ servers: { s: raw('look') } });
  const before = agent.tools.list().length;
  setImmediate(turn);
  const many = await agentWith({ servers: { s: raw('five-thousand') } }, [{ text: 'Done.' }]);
  isOver = true;
  expect([before, many.agent.tools.list().length]).toEqual([1, 5000]);
  // A turn for each slice of the work at least; without slices, there are three.
  expect(turns).toBeGreaterThan(20);
  await many.agent.run('Go');
  expect(many.logged.filter((line) => line.includes('mcp/MANY_TOOLS'))).toEqual([
    expect.stringContaining('Each model call is sent 5000 tools of MCP servers.'),
  ]);
});
