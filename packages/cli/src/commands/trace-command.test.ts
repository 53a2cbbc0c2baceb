import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { plain } from '../../test/terminal.ts';
import { answering, config, header, plugin, project, steady } from '../../test/traced-project.ts';

describe('shallot run --trace', () => {
  it('writes a file that shallot trace shows as a tree, whatever the config lists', async () => {
    const { here } = project(answering);
    const ran = await here(['run', '--trace', 'out/t.jsonl', 'What is it?']);
    expect(ran.stderr).toMatch(/\ntraced: shallot trace out\/t\.jsonl\n$/);
    expect(ran).toMatchObject({ status: 0, stdout: 'An onion.\n' });
    const { stdout, status } = await here(['trace', 'out/t.jsonl']);
    expect(status).toBe(0);
    expect(steady(stdout)).toMatchInlineSnapshot(`
      "agent · session ID · ID · TIME
      run  0 ms  2 steps  2,000 → 20 tokens  ✓ completed (answer)
      ├─ step 1  0 ms
      │  ├─ brief beforeModel say  0 ms  instructions 0 → 9 characters
      │  ├─ chat test/scripted  0 ms  first chunk 0 ms  1,000 → 10 tokens  tool-calls
      │  ├─ tool look  0 ms
      │  └─ tool look  0 ms  ✗ failed: Error: too dark
      └─ step 2  0 ms
         ├─ brief beforeModel say  0 ms  instructions 0 → 9 characters
         └─ chat test/scripted  0 ms  first chunk 0 ms  1,000 → 10 tokens  stop
      "
    `);
  });

  it('writes beside the config by default, one file for each run, and nothing of it with --quiet', async () => {
    const { here, folder } = project(answering);
    const first = await here([
      'run',
      '-q',
      '-s',
      'tea',
      '--trace',
      '--trace-content',
      '-c',
      'shallot.config.yaml',
      'One?',
    ]);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const names = readdirSync(join(folder, '.shallot/traces'));
    expect(names).toEqual([expect.stringMatching(/^tea-run_[\da-f-]+\.jsonl$/)]);
    const { stdout } = await here(['trace', join('.shallot/traces', names[0] ?? '')]);
    expect(stdout).toMatch(/instructions: Be brief\.\n.*user: One\?\n/);
    expect(stdout).toMatch(/arguments: \{"at":"nothing"\}/);
  });

  it('harms no run when it cannot write, and says so once', async () => {
    const { here } = project(answering);
    const { status, stdout, stderr } = await here([
      'run',
      '-q',
      '--trace',
      '/dev/null/t.jsonl',
      'What is it?',
    ]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'An onion.\n' });
    expect(stderr.match(/Telemetry is being lost: trace files failed with: /g)).toHaveLength(1);
  });

  it('of a chat writes a file for each message', async () => {
    const { here, folder } = project(`[{ text: 'One.' }, { text: 'Two.' }]`);
    const { stdout } = await here(['chat', '-q', '--trace'], { stdin: 'One?\nTwo?\n' });
    expect(stdout).toBe('One.\nTwo.\n');
    expect(readdirSync(join(folder, '.shallot/traces'))).toHaveLength(2);
  });
});

describe('shallot trace', () => {
  it('shows layers that changed nothing with --all, and costs with --prices', async () => {
    const { here, write } = project(answering);
    write({ 'prices.json': '{ "test/scripted": { "input": 3, "output": 15 } }' });
    await here(['run', '-q', '--trace', 't.jsonl', 'What is it?']);
    const { stdout } = await here(['trace', 't.jsonl', '--all', '--prices', 'prices.json']);
    expect(stdout).toMatch(/idle beforeModel pass/);
    expect(stdout).toMatch(/run .*2,000 → 20 tokens {2}\$0\.0063/);
    expect(stdout).toMatch(/chat test\/scripted .*\$0\.0032|\$0\.0031/);
  });

  it('gives the tree as JSON', async () => {
    const { here } = project(answering);
    await here(['run', '-q', '--trace', 't.jsonl', 'What is it?']);
    const { stdout } = await here(['trace', 't.jsonl', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      parts: [{ header: { version: 1 }, roots: [{ start: { kind: 'run' }, end: { outcome: 'completed' } }] }],
      damagedLines: [],
      cutOff: false,
    });
  });

  it.each([
    [
      'nowhere.jsonl',
      /^error telemetry\/TRACE_UNREADABLE: There is no file nowhere\.jsonl\. Name a file that --trace wrote: by default it is in \.shallot\/traces\.\n$/,
    ],
    ['empty.jsonl', /^error telemetry\/TRACE_INVALID: .*empty\.jsonl is empty/],
    ['package.json', /^error telemetry\/TRACE_INVALID: .*is not a trace file/],
    ['.', /^error USAGE_INVALID: \. is a directory\. Name a trace file in it\.\n$/],
    ['newer.jsonl', /^error telemetry\/TRACE_VERSION: .*version 9 .*Update/],
  ])('says what is wrong with %s', async (file, message) => {
    const { here, write } = project('[]');
    write({ 'empty.jsonl': '', 'newer.jsonl': '{"type":"trace","version":9,"run":"r"}\n' });
    const { status, stdout, stderr } = await here(['trace', file]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('says what is wrong with prices', async () => {
    const { here, folder } = project('[]');
    writeFileSync(join(folder, 't.jsonl'), '');
    for (const [text, why] of [
      ['{', /JSON/],
      ['{"a/b":{"input":1}}', /it is not a price table/],
    ] as const) {
      writeFileSync(join(folder, 'prices.json'), text);
      writeFileSync(join(folder, 't.jsonl'), `${header}\n`);
      const { stderr, status } = await here(['trace', 't.jsonl', '--prices', 'prices.json']);
      expect(status).toBe(2);
      expect(stderr).toMatch(why);
    }
  });

  it('shows the time of a layer itself, why one failed, and what was paid rather than what prices say', async () => {
    const { here, write } = project('[]');
    const usage = '"usage":{"input":1000,"output":10,"total":1010}';
    write({
      'prices.json': '{ "a/b": { "input": 3, "output": 15 } }',
      't.jsonl': [
        '{"type":"trace","version":1,"runId":"r","sessionId":"s\\u001b[2J","agent":"a","resumed":true,"at":1}',
        '{"type":"start","id":1,"kind":"run","at":1000}',
        '{"type":"start","id":2,"parent":1,"kind":"layer","plugin":"guard","hook":"wrapModelCall","tap":"look","at":1000}',
        '{"type":"start","id":3,"parent":2,"kind":"model","model":"a/b","at":1000}',
        `{"type":"end","id":3,"at":1400,"finish":"stop",${usage},"cost":2.5}`,
        '{"type":"end","id":2,"at":1500,"ownMs":7,"error":{"type":"Error","message":"too hot"}}',
        '{"type":"end","id":1,"at":1500,"outcome":"failed"}',
        '',
      ].join('\n'),
    });
    const { stdout } = await here(['trace', 't.jsonl', '--prices', 'prices.json']);
    expect(stdout).toMatch(/^resumed: a · session s\S* · r · /);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/guard wrapModelCall look {2}7(?:\.0)? ms {2}.*too hot/);
    expect(stdout).toMatch(/chat a\/b .*\$2\.50/);
  });
});

describe('the log', () => {
  const noisy = plugin('noisy', `log.warn({ 'x-api-key': 'abc' }, 'careful \\u001b]0;owned\\u0007');`);
  const files = { 'shallot.config.yaml': config.replace('./idle.ts', './noisy.ts'), 'noisy.ts': noisy };

  it('is readable on a terminal, which it does not steer', async () => {
    const { screen, status } = await project(answering, files).onTerminal(['run', '-q', 'What is it?']).ended;
    expect(status).toBe(0);
    expect(plain(screen)).toMatch(
      /\[\d\d:\d\d:\d\d\.\d+\] WARN: careful \]0;owned\n.*plugin: "noisy"\n.*x-api-key: "\[redacted\]"/s,
    );
    expect(screen).not.toContain('\u001b]');
    expect(screen).toContain('\u001b[33mWARN');
  });

  it('is JSON elsewhere', async () => {
    const { stderr } = await project(answering, files).here(['run', '-q', 'What is it?']);
    expect(JSON.parse(stderr)).toMatchObject({ level: 40, plugin: 'noisy', 'x-api-key': '[redacted]' });
  });
});
