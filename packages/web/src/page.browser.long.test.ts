import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { memoryStore } from '@shallot/core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

import { closeBrowser, openPage, testBrowser, type OpenedPage, type PageTerms } from '../test/browser.ts';
import { servePage, type ServedPage } from '../test/served-page.ts';
import { writeMessage } from '../test/write-message.ts';

type Script = Parameters<typeof servePage>[0];

async function open(
  script: Script,
  { look = {}, ...options }: Parameters<typeof servePage>[1] & { readonly look?: PageTerms } = {},
): Promise<ServedPage & OpenedPage> {
  const served = await servePage(script, options);
  onTestFinished(served.close);
  return { ...served, ...(await openPage(served.url, look)) };
}

/** The findings that keep somebody from using the page. */
async function seriousFindings(page: Page): Promise<readonly string[]> {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

const questions = [
  { question: 'Which harvest?', choices: [{ label: 'Spring', description: 'in June' }, 'Summer'] },
  { question: 'Who helps?', choices: ['Ada', 'Bo'], several: true, strict: true },
  { question: 'Anything else?' },
];

/** A run with everything that the page can show. */
const everything: Script = [
  {
    reasoning: 'The person wants a plan.',
    text: '## Plan\n\n1. Feed\n2. `Harvest`\n\n- [x] sugar\n\n| hive | kg |\n|---|---|\n| north | 31 |\n\n> Bees are *calm*.\n\n```ts\nconst honey = 31 + 55; // kilograms, of both hives, in one year, as the notes of the members say it\n```',
    toolCalls: [
      { name: 'look', args: {} },
      { name: 'write', args: { path: '/plan.md', text: 'Feed' } },
      { name: 'ask_user', args: { questions } },
    ],
  },
];

afterAll(closeBrowser);

describe.skipIf(testBrowser === undefined)('the page in a browser', () => {
  it.each([
    { width: 1200, height: 800, colorScheme: 'light' },
    { width: 1200, height: 800, colorScheme: 'dark' },
    { width: 360, height: 740, colorScheme: 'light' },
    { width: 360, height: 740, colorScheme: 'dark' },
  ] as const)('has no serious finding of axe at $width pixels, $colorScheme, and fits', async (look) => {
    const { page, desk, faults } = await open(everything, { look });
    expect(await seriousFindings(page)).toEqual([]);
    await writeMessage(page, 'Plan the harvest');
    await page.getByText('running', { exact: true }).first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    desk.go.resolve();
    await page.getByRole('heading', { name: 'May write be executed?' }).waitFor();
    await page.locator('details.call summary').first().click();
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('radio', { name: 'Other' }).click();
    expect(await seriousFindings(page)).toEqual([]);
    // A wide page shows the sessions anyway.
    if (look.width === 360) await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    expect(await seriousFindings(page)).toEqual([]);
    const wide = await page.evaluate(
      () =>
        [document.documentElement, ...document.querySelectorAll('main, nav, .scroller')].filter(
          (each) => each.scrollWidth > each.clientWidth,
        ).length,
    );
    expect(wide).toBe(0);
    expect(faults).toEqual([]);
  });

  it('is used by keyboard alone: a form is answered, a run is stopped by Escape, a session is deleted', async () => {
    const { page, store, desk } = await open([
      { toolCalls: [{ name: 'ask_user', args: { questions } }] },
      { toolCalls: [{ name: 'look', args: {} }] },
      { text: 'Never said' },
    ]);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    const { keyboard } = page;
    await keyboard.type('Ask me');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'ask_user asks' }).waitFor();
    await focusOn(page, 'Spring');
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    await keyboard.press('Tab');
    await keyboard.type('Autumn');
    await keyboard.press('Tab');
    await keyboard.press('Space');
    await keyboard.press('Tab');
    await keyboard.press('Space');
    await keyboard.press('Tab');
    await keyboard.press('Space');
    await focusOn(page, 'In your own words');
    await keyboard.press('Space');
    await keyboard.press('Tab');
    await keyboard.type('No');
    await focusOn(page, 'Answer');
    await keyboard.press('Enter');
    await page.getByText('running', { exact: true }).first().waitFor();
    const stopped = page.waitForResponse((response) => response.url().endsWith('/stop'));
    await keyboard.press('Escape');
    await stopped;
    desk.go.resolve();
    await page.getByText('The run was stopped.').waitFor();
    const [id = ''] = await idsIn(store);
    const { messages = [] } = (await store.load(id)) ?? {};
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({
      data: { answers: ['Autumn', ['Ada', 'Bo'], 'No'] },
    });
    await focusOn(page, 'Delete Ask me');
    await keyboard.press('Enter');
    await focusOn(page, 'Delete');
    await keyboard.press('Enter');
    await page.getByText('No sessions yet.').waitFor();
    expect(await idsIn(store)).toEqual([]);
  });

  it('goes on after a reload of the page and a restart of the server in the middle', async () => {
    const store = memoryStore();
    const script: Script = [
      { text: 'I write it.', toolCalls: [{ name: 'write', args: { path: '/a.txt', text: 'bees' } }] },
    ];
    const first = await servePage(script, { store });
    const { page } = await openPage(first.url);
    await writeMessage(page, 'Write bees');
    await page.getByRole('heading', { name: 'May write be executed?' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'May write be executed?' }).waitFor();
    await first.close();
    await page.getByText('The server cannot be reached.').waitFor();
    const port = Number(new URL(first.url).port);
    const second = await servePage([{ text: 'It is written.' }], { store, port });
    onTestFinished(second.close);
    await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.keyboard.type('not now');
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('It is written.').waitFor();
    expect(await page.locator('.call .state').allTextContents()).toEqual(['not executed']);
    expect([...first.desk.written, ...second.desk.written]).toEqual([]);
  });

  it('takes messages while a run works, and edited arguments', async () => {
    const { page, desk, store } = await open([
      { toolCalls: [{ name: 'look', args: {} }] },
      ({ messages }) => ({
        text: JSON.stringify(messages.filter(({ role }) => role === 'user').length),
        toolCalls: [{ name: 'write', args: { path: '/a.txt', text: 'bes' } }],
      }),
      { text: 'Done.' },
    ]);
    await writeMessage(page, 'Look');
    await page.getByText('looking behind the curtain').waitFor({ state: 'attached' });
    await writeMessage(page, 'And hurry');
    await page.locator('.waiting', { hasText: 'And hurry' }).waitFor();
    desk.go.resolve();
    await page.getByRole('button', { name: 'Edit…' }).click();
    const field = page.getByRole('textbox', { name: 'Arguments, as JSON' });
    await field.fill('{ "path": ');
    await page.getByRole('button', { name: 'Execute with these' }).click();
    await page.getByRole('alert').getByText('This is not JSON').waitFor();
    await field.fill('{ "path": "/a.txt", "text": "bees" }');
    await page.getByRole('button', { name: 'Execute with these' }).click();
    await page.getByText('Done.').waitFor();
    expect(desk.written).toEqual([{ path: '/a.txt', text: 'bees' }]);
    const [id = ''] = await idsIn(store);
    const { messages = [] } = (await store.load(id)) ?? {};
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool user assistant tool assistant',
    );
    expect(await page.locator('.user').allTextContents()).toEqual(['You: Look', 'You: And hurry']);
  });

  it('finds sessions, shows what others do in them, and begins new ones', async () => {
    const { page, url } = await open([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    await writeMessage(page, 'First of all');
    await page.getByText('One.').waitFor();
    const hash = await page.evaluate(() => location.hash);
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByText('One.').waitFor({ state: 'detached' });
    await writeMessage(page, 'Another matter');
    await page.getByText('Two.').waitFor();
    await page.getByRole('searchbox').fill('FIRST');
    await page.getByRole('button', { name: /^Another/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^First of all/ }).click();
    await page.getByText('One.').waitFor();
    expect(await page.evaluate(() => location.hash)).toBe(hash);
    await fetch(`${url}/sessions/${hash.slice(1)}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{ "input": "By somebody else" }',
    });
    await page.getByText('Three.').waitFor();
    await page.goBack();
    await page.getByText('Two.').waitFor();
  });

  it('asks for a token where the server wants one, and keeps it in the tab', async () => {
    const token = '0123456789abcdef';
    const { page, origins } = await open([{ text: 'Let in.' }], { auth: { tokens: [token] } });
    const field = page.getByLabel('Token of this server');
    await field.fill('another-one-of-16');
    await page.keyboard.press('Enter');
    await page.getByText('The server has refused this token.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await field.fill(token);
    await page.keyboard.press('Enter');
    await writeMessage(page, 'Hello');
    await page.getByText('Let in.').waitFor();
    await page.reload();
    await page.getByText('Let in.').waitFor();
    expect(origins.size).toBe(1);
  });

  it('executes nothing of what it shows', async () => {
    const text =
      '<script>globalThis.hit = 1</script> <b onclick="hit = 1">b</b> [x](javascript:alert(1)) [y](data:text/html,z) <img src=x onerror="globalThis.hit = 1">';
    const { page } = await open([{ text }]);
    await writeMessage(page, '<img src=x onerror="globalThis.hit = 1">');
    await page.getByText('onclick').waitFor();
    expect(await page.locator('.thread a, .thread b, .thread img').count()).toBe(0);
    // Whatever got in after all would not be executed, and could send nothing away.
    await page.evaluate(async () => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        document.title += ` ${effectiveDirective}`;
      });
      document.title = 'broken:';
      const attempt = (work: () => unknown) =>
        new Promise((resolve) => resolve(work())).catch(() => undefined);
      await attempt(() =>
        document.body.append(Object.assign(document.createElement('script'), { text: 'hit = 1' })),
      );
      await attempt(() => (document.body.innerHTML = '<p>'));
      await attempt(() => fetch('https://example.org/'));
      new Image().src = 'https://example.org/a.png';
    });
    const broken = 'broken: require-trusted-types-for require-trusted-types-for connect-src img-src';
    await page.waitForFunction((all) => document.title === all, broken);
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false);
  });
});

async function idsIn(store: ServedPage['store']): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list()) ids.push(id);
  return ids;
}

/** Presses Tab until something with a name has the focus. */
async function focusOn(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await nameOfFocus(page)) === name) return;
  }
  throw new Error(`"${name}" cannot be reached by Tab; the focus is on "${await nameOfFocus(page)}".`);
}

function nameOfFocus(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const [label] = element instanceof HTMLInputElement ? (element.labels ?? []) : [];
    const text = label?.querySelector('span')?.firstChild?.textContent ?? element?.textContent ?? '';
    return (element?.getAttribute('aria-label') ?? text).trim();
  });
}
