import { describe, expect, it, vi } from 'vitest';

import { env, prepared, read } from '../../test/add.ts';
import { publishMail } from '../../test/mail.ts';

// Package managers start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

describe('the entry that a package proposes', () => {
  it('of a stranger is not written when nobody is asked; all stays, and the last lines say what to write', async () => {
    const { registry, project, add } = await prepared();
    publishMail(registry);
    const { status, stderr } = await add('mail', '--yes');
    expect(status).toBe(2);
    expect(stderr).toContain('mail proposes an entry, which was not written');
    expect(stderr).toContain('  - { use: mail, options: { url: https://a.example, tags: [ x, y ] } }\n');
    expect(stderr).toMatch(
      /The agent does not start yet; .*\nerror PLUGIN_OPTIONS \[mail\] shallot.config.yaml:4:/s,
    );
    expect(read(project, 'shallot.config.yaml')).toBe(
      '# An agent.\nmodel: ./model.mjs\nplugins:\n  - mail\n',
    );
    expect(JSON.parse(read(project, 'package.json'))).toMatchObject({
      dependencies: { 'shallot-plugin-mail': '^1.0.0' },
    });
  });

  it.each([
    ['more than options', { options: { url: 'x' }, priority: 99 }],
    ['no object', 'mail'],
    ['options that are a list', { options: [] }],
    ['too long', { options: { url: 'x'.repeat(3000) } }],
  ])('is ignored if it is %s', async (_, proposal) => {
    const { registry, project, add } = await prepared();
    publishMail(registry, proposal);
    const { status, stderr } = await add('mail', '--trust', 'mail');
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /Write its options into the entry of mail:\n {2}- use: mail\n {4}options:\n {6}url: …\n$/,
    );
    expect(read(project, 'shallot.config.yaml')).toContain('plugins:\n  - mail\n');
  });

  it('is shown with what it hides', async () => {
    const { registry, add } = await prepared();
    publishMail(registry, { options: { url: 'a\u202eb\u001b[2K' } });
    const { stdout } = await add('mail', '--trust', 'mail', '--dry-run');
    for (const hidden of ['\u202e', '\u001b']) expect(stdout).not.toContain(hidden);
  });
});

describe('shallot add starts the agent', () => {
  it('with the offline model where a key is missing', async () => {
    const { registry, project, add } = await prepared();
    publishMail(registry);
    project.write({
      'shallot.config.yaml': 'model: ./model.mjs\n',
      'model.mjs': `import { ShallotError } from '@shallot/core';
        throw new ShallotError('MODEL_AUTH', { message: 'Set MAIL_MODEL_KEY.' });`,
    });
    const { status, stdout, stderr } = await add('mail', '--trust', 'mail');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('The agent starts, with the offline model for now.') as string,
    });
    expect(stderr).toContain('Set MAIL_MODEL_KEY.');
  });

  it('and says which variable to export', async () => {
    const { project, add } = await prepared();
    project.write({ 'shallot.config.yaml': 'model: ./model.mjs\nname: { $env: NAME_OF_AGENT }\n' });
    const { status, stderr } = await add('tickets');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/error CONFIG_ENV .*NAME_OF_AGENT/) as string,
    });
    project.write({ '.env': 'NAME_OF_AGENT=x\n' });
    expect(await project.here(['doctor'], { env })).toMatchObject({ status: 0 });
  });
});
