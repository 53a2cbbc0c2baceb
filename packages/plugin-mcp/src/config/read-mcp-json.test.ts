import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { expandVariables } from './expand-variables.ts';
import { readMcpJson } from './read-mcp-json.ts';
import { resolveServers } from './server-settings.ts';

function file(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'shallot-mcp-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, '.mcp.json'), content);
  return join(directory, '.mcp.json');
}

const env = { TOKEN: 'abc', EMPTY: '' };

describe('variables of a .mcp.json', () => {
  it.each([
    ['Bearer ${TOKEN}', 'Bearer abc', []],
    ['${TOKEN}${TOKEN}', 'abcabc', []],
    ['${MISSING:-x}-${EMPTY:-y}-${TOKEN:-z}', 'x-y-abc', []],
    ['${EMPTY}|${MISSING:-}|', '||', []],
    ['${MISSING} ${OTHER}', '${MISSING} ${OTHER}', ['MISSING', 'OTHER']],
    ['$TOKEN ${} ${1A} $', '$TOKEN ${} ${1A} $', []],
  ])('are filled in: %s', (text, filled, missing) => {
    expect(expandVariables(text, env)).toEqual({ text: filled, missing });
  });

  it('take a time that is linear in the text', () => {
    const text = '${A:-'.repeat(100_000);
    expect(expandVariables(text, env).text).toBe(text);
  });
});

describe('a .mcp.json', () => {
  it('is read as other clients do', async () => {
    const path = file(
      JSON.stringify({
        mcpServers: {
          files: { command: 'npx', args: ['-y', 'server', '${HOME_DIR:-/home}'], env: { KEY: '${TOKEN}' } },
          issues: {
            type: 'http',
            url: 'https://mcp.example.com',
            headers: { Authorization: 'Bearer ${TOKEN}' },
          },
          off: { command: 'x', disabled: true, alwaysAllow: ['a'], someClientsOwn: 1 },
        },
      }),
    );
    expect(await readMcpJson(path, { env })).toEqual({
      files: { command: 'npx', args: ['-y', 'server', '/home'], env: { KEY: 'abc' } },
      issues: { url: 'https://mcp.example.com', headers: { Authorization: 'Bearer abc' } },
      off: { command: 'x', enabled: false },
    });
  });

  it('is an error that lists all that is wrong with it', async () => {
    const path = file(
      JSON.stringify({
        mcpServers: {
          a: { comand: 'x', args: 'y', env: { A: 1, B: '${MISSING}' } },
          b: { type: 'sse', url: 'https://x' },
          c: 'npx',
        },
      }),
    );
    await expect(readMcpJson(path, { env })).rejects.toMatchObject({
      code: 'mcp/CONFIG_INVALID',
      message: [
        `${path} is not valid:`,
        '  a: "comand" is not known; did you mean "command"?',
        '  a: env.A is 1; write a string',
        '  a: env.B needs the environment variable MISSING. Set it, or write ${MISSING:-default}',
        '  a: args is not a list',
        '  b: its type is "sse", which streamable HTTP has replaced. Write the URL for that, and the type "http"',
        '  c: it is not an object',
      ].join('\n'),
    });
  });

  it.each([
    ['{', 'it cannot be read'],
    ['[]', 'it has no "mcpServers"'],
    ['{ "servers": {} }', 'it has no "mcpServers"'],
  ])('is an error when it is none: %s', async (content, reason) => {
    await expect(readMcpJson(file(content), { env })).rejects.toThrow(reason);
  });
});

describe('the servers of the options', () => {
  const resolve = (servers: object, mcpJson?: string) =>
    resolveServers(
      { servers: servers as never, ...(mcpJson === undefined ? {} : { mcpJson }) },
      { directory: '/work', env },
    );

  it('come with those of the file, whose settings they add to', async () => {
    const path = file(
      JSON.stringify({
        mcpServers: {
          a: { command: 'x', args: ['1'] },
          b: { url: 'https://b.example' },
          c: { command: 'c' },
        },
      }),
    );
    const resolved = await resolve(
      { d: { command: 'd', cwd: 'sub' }, a: { include: ['look'] }, c: { enabled: false } },
      path,
    );
    expect(resolved).toMatchObject([
      { name: 'd', kind: 'program', command: 'd', cwd: '/work/sub' },
      { name: 'a', kind: 'program', command: 'x', args: ['1'], include: ['look'], cwd: '/work' },
      { name: 'b', kind: 'http', oauth: {} },
    ]);
  });

  it('need one way to be reached, and only what belongs to it', async () => {
    await expect(
      resolve({
        none: {},
        both: { command: 'x', url: 'https://x' },
        mixed: { command: 'x', headers: {} },
        other: { url: 'https://x', args: [] },
        'a/b': { command: 'x' },
        // The values, which may be secrets, are not in the message.
        broken: { url: 'https://x', headers: { Authorization: 'Bearer hush\nhush' } },
        odd: { url: 'https://x', headers: { 'x odd': 'hush' } },
      }),
    ).rejects.toMatchObject({
      code: 'mcp/CONFIG_INVALID',
      message: [
        'The MCP servers are not valid:',
        '  none: it has no command and no url; write one of them',
        '  both: it has a command and a url; keep one of them',
        '  mixed: headers, oauth and allowAddresses are for servers with a url',
        '  other: args, env and cwd are for servers with a command',
        '  a/b: its name must be 1 to 64 characters, without slashes',
        '  broken: its header "Authorization" cannot be sent: its value contains a line break or a character that HTTP does not allow there',
        '  odd: its header "x odd" cannot be sent: its name contains a character that HTTP does not allow there',
      ].join('\n'),
    });
  });

  it('need no login where there is a header for it', async () => {
    const url = 'https://x.example';
    const [own, none, both] = await resolve({
      own: { url, headers: { authorization: 'Bearer x' } },
      none: { url, oauth: false },
      both: { url, headers: { Authorization: 'x' }, oauth: { clientId: 'c' } },
    });
    expect([own, none, both].map((each) => each?.kind === 'http' && each.oauth)).toEqual([
      undefined,
      undefined,
      { clientId: 'c' },
    ]);
  });
});
