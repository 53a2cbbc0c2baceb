import { createAgent, memoryStore } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { createServer } from '../create-server.ts';

it('the page is for everybody, and its policy lets it load nothing and speak to its own server alone', async () => {
  const store = memoryStore();
  await using agent = await createAgent({ name: 'shop', model: scriptedModel([]), store });
  await using server = createServer({ agent, store }, { auth: { tokens: ['0123456789abcdef'] } });
  const response = await server.fetch(new Request('http://agent.example/'));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const parts = (await response.text()).split(/<(?:script type="module"|\/script)>/);
  expect(parts).toHaveLength(3);
  const markup = `${parts[0]}${parts[2]}`;
  expect(markup.slice(0, 15)).toBe('<!doctype html>');
  expect(markup.match(/ (?:src|href)="(?!data:)/g)).toBe(null);
  const policy = response.headers.get('content-security-policy');
  expect(policy?.replaceAll(/'sha256-[\w+/]+='/g, 'HASH').split('; ')).toEqual([
    "default-src 'none'",
    'script-src HASH',
    'style-src HASH',
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
});
