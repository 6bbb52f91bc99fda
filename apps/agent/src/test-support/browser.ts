import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Returns why there is no browser for tests; `undefined` when there is one. */
export function browserUnavailable(): string | undefined {
  return existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM} (Debian package chromium)`;
}

/** A browser with a profile of its own. */
export interface TestBrowser extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the console, and exceptions that no script caught. */
  readonly complaints: string[];
}

/** Starts headless Chromium with a fresh profile. */
export async function startBrowser(options: { readonly args?: readonly string[] } = {}): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'rxlet-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: [...FLAGS, ...(options.args ?? [])],
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
  });
  const complaints: string[] = [];
  const observe = (page: Page): void => {
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
  };
  const page = context.pages()[0] ?? (await context.newPage());
  observe(page);
  context.on('page', observe);
  return {
    context,
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
