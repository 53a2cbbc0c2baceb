import { memoryFiles, type Files } from '@shallot/core/files';
import { collectEvents } from '@shallot/testing';
import { describe, expect, it, vi } from 'vitest';

import { bench, counting, filesWith, reads, resultsIn, settle, skillFile } from '../test/bench.ts';
import { loadSkills } from './finding/load-skills.ts';

/** So many skills, as repositories have them: by user, and by kind. */
async function deepFiles(count: number): Promise<Files> {
  const files = memoryFiles();
  for (let index = 0; index < count; index += 1) {
    const path = `/repo/skills/user-${index % 90}/${index % 7 === 0 ? 'tools/' : ''}skill-${index}/SKILL.md`;
    await files.write(
      path,
      skillFile(`skill-${index}`, { description: `Handles case ${index} of the law.` }),
    );
  }
  return files;
}

describe('A repository of skills as one source', () => {
  it('has them at any level down to a depth, but not in node_modules, hidden directories or other skills', async () => {
    const files = await filesWith({
      '/repo/top/SKILL.md': skillFile('top'),
      '/repo/a/b/c/d/e/six/SKILL.md': skillFile('six'),
      '/repo/a/b/c/d/e/f/seven/SKILL.md': skillFile('seven'),
      '/repo/node_modules/pack/SKILL.md': skillFile('pack'),
      '/repo/a/.git/hook/SKILL.md': skillFile('hook'),
      '/repo/top/examples/inner/SKILL.md': skillFile('inner'),
      '/repo/top/node_modules/dep/SKILL.md': skillFile('dep'),
    });
    const { skills, notices } = await loadSkills(files, ['/repo']);
    expect([...skills.keys()]).toEqual(['six', 'top']);
    expect(notices).toEqual([
      { kind: 'nested', path: '/repo/top/examples/inner/SKILL.md', reason: expect.any(String) as string },
    ]);
    expect([...(await loadSkills(files, ['/repo'], { depth: 7 })).skills.keys()]).toContain('seven');
    expect([...(await loadSkills(files, ['/repo'], { depth: 1 })).skills.keys()]).toEqual(['top']);
  });

  it('is told of once: what lies within other skills, and how many more are replaced', async () => {
    const contents: Record<string, string> = { '/skills/a/x/SKILL.md': skillFile('x') };
    for (let index = 0; index < 30; index += 1)
      contents[`/skills/a/inner-${index}/SKILL.md`] = skillFile('inner');
    contents['/skills/a/SKILL.md'] = skillFile('a');
    for (let index = 0; index < 25; index += 1) contents[`/skills/z/${index}/SKILL.md`] = skillFile('same');
    const { agent } = await bench(await filesWith(contents));
    const { events } = await collectEvents(agent.stream('Hi'));
    const codes = events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));
    expect(codes.filter((code) => code === 'skills/NESTED')).toHaveLength(1);
    expect(events.filter((event) => event.type === 'plugin' && event.name === 'shadowed')).toHaveLength(20);
    expect(codes).toContain('skills/MORE');
  });

  it('of 5,000 is within the reach of the model: by the list, by words, and by name', async () => {
    const files = await deepFiles(5000);
    const { agent, model } = await bench(
      files,
      [
        { toolCalls: [{ name: 'skill', args: { find: 'case 4321' } }] },
        reads('skill-4321'),
        { toolCalls: [{ name: 'skill', args: { name: 'skill-99999' } }] },
        { toolCalls: [{ name: 'skill', args: { find: 'zebra quilting' } }] },
        { toolCalls: [{ name: 'skill', args: {} }] },
      ],
      { options: { sources: ['/repo'] } },
    );
    await agent.run('Hi');
    const { instructions = '', tools = [] } = model.requests[0] ?? {};
    expect(instructions.length).toBeLessThanOrEqual(16_000);
    const listed = instructions.match(/<skill>/g)?.length ?? 0;
    expect(instructions).toContain(`… and ${5000 - listed} more`);
    expect(JSON.stringify(tools[0]?.inputSchema)).not.toContain('enum');
    const [found = '', read, missing, none, empty] = resultsIn(model.requests.at(-1)?.messages);
    expect(found.split('\n')[1]).toBe('- skill-4321: Handles case 4321 of the law.');
    expect(read).toContain('<skill name="skill-4321"');
    expect(missing).toMatch(
      /^There is no skill "skill-99999" among 5000\. Did you mean "skill-\d+"\? Call skill with find/,
    );
    expect(missing?.length).toBeLessThan(300);
    expect(none).toContain('No skill fits');
    expect(empty).toContain('Give the name of a skill');
  });
});

describe('Many skills', () => {
  it('keep no later run waiting: it looks at no file before the model is asked', async () => {
    const { files, counts } = counting(await deepFiles(300));
    const { agent, model } = await bench(files, [], { options: { sources: ['/repo'] } });
    const before: number[] = [];
    const { generate } = model;
    Object.assign(model, {
      generate: (...args: Parameters<typeof generate>) => {
        before.push(counts.calls);
        return generate.apply(model, args);
      },
    });
    await agent.run('Hi');
    await vi.waitFor(() => expect(counts.calls).toBeGreaterThan((before[0] ?? 0) + 300), {
      timeout: 15_000,
    });
    const settled = counts.calls;
    await agent.run('Hi');
    expect(before[1]).toBe(settled);
    expect(model.requests[1]?.instructions).toBe(model.requests[0]?.instructions);
  });

  it('show what has changed one run later; few show it at once', async () => {
    for (const [count, later] of [
      [150, 1],
      [50, 0],
    ] as const) {
      const inner = await deepFiles(count);
      const { files, counts } = counting(inner);
      const { agent, model } = await bench(files, [], { options: { sources: ['/repo'] } });
      await agent.run('Hi');
      const knows = (): boolean => model.requests.at(-1)?.instructions.includes('brand-new') === true;
      await inner.write('/repo/skills/new/SKILL.md', skillFile('brand-new'));
      for (let run = 0; run < later; run += 1) {
        await settle(counts);
        await agent.run('Hi');
        expect(knows()).toBe(false);
      }
      await settle(counts);
      await agent.run('Hi');
      expect(knows()).toBe(true);
    }
  });
});
