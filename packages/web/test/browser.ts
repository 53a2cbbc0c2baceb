import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium, type Browser, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** The names of browsers to look for on the PATH. */
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * The browser for tests: that of `SHALLOT_TEST_BROWSER`, or else one on the PATH. Undefined if there is none; its tests
 * are then listed as not run. With `SHALLOT_NEED_BROWSER=1`, a missing browser is an error.
 */
export const testBrowser = findBrowser();

function findBrowser(): string | undefined {
  const { SHALLOT_TEST_BROWSER: named, SHALLOT_NEED_BROWSER: need, PATH = '' } = process.env;
  if (named !== undefined && named !== '') return named;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = places.find(isExecutable);
  if (found === undefined && need === '1')
    throw new Error(`SHALLOT_NEED_BROWSER is 1, and PATH has none of ${names.join(', ')}. Install chromium.`);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // The file does not exist, or is not executable.
    return false;
  }
}

/** A page, with its faults and the origins of its requests. */
export interface OpenedPage {
  readonly page: Page;
  /** Uncaught errors of scripts, and errors that the browser reports. */
  readonly faults: readonly string[];
  /** The origins of all requests. */
  readonly origins: ReadonlySet<string>;
}

/** The size and colors of a page. */
export interface PageTerms {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Promise<Browser> | undefined;

/** Closes the browser of a test file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/**
 * Opens a page with its own profile, which is closed when the test ends. All tests of a file share one browser: see
 * `closeBrowser`.
 */
export async function openPage(
  url: string,
  { width = 1200, height = 800, colorScheme = 'light' }: PageTerms = {},
): Promise<OpenedPage> {
  browser ??= chromium.launch({ executablePath: testBrowser ?? '', args });
  const context = await (await browser).newContext({ viewport: { width, height }, colorScheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  const origins = new Set<string>();
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  await page.goto(url);
  return { page, faults, origins };
}
