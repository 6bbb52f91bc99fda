import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserUnavailable } from './test-support/browser.ts';
import { type FakeRuntimeProcess, startFakeRuntime } from './test-support/fake-runtime-process.ts';
import { type PageAgent, startPageAgent } from './test-support/page-agent.ts';

const unavailable = browserUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Images of which one is missing, and one takes minutes. */
const IMAGES = `images:
  - { tags: [registry.test/large:1], sizeBytes: 400000000, bandwidthBytesPerSecond: 2000000 }
missingImages: [registry.test/missing:1]
`;
/** A check that fails every other five seconds. */
const FLAPPING = JSON.stringify({
  exec: [
    {
      command: ['check'],
      results: Array.from({ length: 12 }, (_, index) => ({ afterSeconds: 4 * index, exitCode: index % 2 })),
    },
  ],
});

describe.skipIf(unavailable !== undefined)('the page of a node with troubles', { timeout: 90_000 }, () => {
  let shown: PageAgent;
  let runtime: FakeRuntimeProcess;
  let runtimeFolder: string;

  beforeAll(async () => {
    shown = await startPageAgent({
      async agentFlags(folder) {
        runtimeFolder = folder;
        writeFileSync(join(folder, 'images.yaml'), IMAGES);
        runtime = await startFakeRuntime(folder, '--images', join(folder, 'images.yaml'));
        return ['--container-runtime-endpoint', runtime.endpoint, '--oom-score-adj', '0'];
      },
      kubelet: { serializeImagePulls: false },
      async prepare({ put }) {
        await put(
          'web',
          {},
          { spec: { initContainers: [{ name: 'setup', image: 'busybox:1.36', command: ['true'] }] } },
        );
        await put('crash', { command: ['sh', '-c', 'echo no database; exit 3'] });
        await put('missing', { image: 'registry.test/missing:1' });
        await put('large', { image: 'registry.test/large:1' });
        await put(
          'slow',
          {},
          {
            metadata: { annotations: { 'fake.rxlet.dev/main': 'ignoreSigterm: true' } },
            spec: { terminationGracePeriodSeconds: 8 },
          },
        );
        await put(
          'volume',
          { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
          {
            spec: { volumes: [{ name: 'data', hostPath: { path: '/nonexistent/folder', type: 'Directory' } }] },
          },
        );
        await put(
          'flapping',
          { readinessProbe: { exec: { command: ['check'] }, periodSeconds: 1, failureThreshold: 1 } },
          {
            metadata: { annotations: { 'fake.rxlet.dev/main': FLAPPING } },
          },
        );
      },
    });
  }, 120_000);
  afterAll(async () => {
    await shown?.[Symbol.asyncDispose]();
    await runtime?.[Symbol.asyncDispose]();
  });

  const bar = (name: RegExp) =>
    shown.browser.page.locator('.timeline .bar').and(shown.browser.page.getByRole('button', { name })).first();
  const status = (word: RegExp) => shown.browser.page.locator('.badge').getByText(word);

  it('shows a crash loop: each run, its exit code and the back-off', async () => {
    const { page } = shown.browser;
    await shown.go('#/pods/default/crash-node1');
    await status(/CrashLoopBackOff/).waitFor();
    await bar(/ran, exit 3/).waitFor();
    const lane = page.getByRole('group', { name: 'Lane main' });
    await lane
      .getByRole('button', { name: /^backoff/ })
      .first()
      .click();
    await page.locator('.span-details').getByText('container.backoff').waitFor();
    await page
      .locator('.sentence')
      .getByText(/Restarts container "main", which keeps exiting/)
      .waitFor();
    await shown.go('#/pods/default/crash-node1/logs');
    await page.locator('.log-lines').getByText('no database').first().waitFor();
  });

  it('shows a failed pull with its error in full and the back-off', async () => {
    await shown.go('#/pods/default/missing-node1');
    await status(/ImagePullBackOff|ErrImagePull/).waitFor();
    await bar(/^pull registry\.test\/missing:1, .*failed \(ErrImagePull\)/).click();
    await shown.browser.page.locator('.span-details').getByText('NotFound').first().waitFor();
  });

  it('shows a pull that lasts', async () => {
    await shown.go('#/pods/default/large-node1');
    await bar(/^pull registry\.test\/large:1.*, lasts/).waitFor();
    await shown.browser.page
      .locator('.sentence')
      .getByText(/image "registry\.test\/large:1"/)
      .waitFor();
  });

  it('shows a volume that does not come, and why', async () => {
    await shown.go('#/pods/default/volume-node1');
    await shown.browser.page.locator('.timeline').getByText('Volumes', { exact: true }).waitFor();
    await bar(/^mount data.*failed/).click();
    await shown.browser.page
      .locator('.span-details')
      .getByText(/\/nonexistent\/folder/)
      .first()
      .waitFor();
  });

  it('shows each change of a flapping probe', async () => {
    await shown.go('#/pods/default/flapping-node1');
    await expect
      .poll(
        () =>
          shown.browser.page
            .locator('.steps')
            .getByText(/probe changed/)
            .count(),
        { timeout: 60_000 },
      )
      .toBeGreaterThan(2);
  });

  it('shows a slow termination as it goes on, and the life of the pod afterwards', async () => {
    const { page } = shown.browser;
    await shown.go('#/pods/default/slow-node1');
    await status(/Running/).waitFor();
    shown.remove('slow');
    await status(/Terminating/).waitFor();
    await bar(/^stop, .*lasts/).waitFor();
    await status(/Gone/).waitFor({ timeout: 60_000 });
    await page.locator('.sentence').first().waitFor();
    await page.locator('.timeline .lane').first().waitFor();
  });

  it('has no violation of accessibility in any view, in both themes, and on a phone', async () => {
    const { page } = shown.browser;
    const routes = [
      '#/pods',
      '#/node',
      '#/events',
      '#/inside',
      '#/pods/default/crash-node1',
      '#/pods/default/crash-node1/containers',
      '#/pods/default/crash-node1/events',
      '#/pods/default/crash-node1/logs',
      '#/pods/default/web-node1/yaml',
    ];
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const route of routes) {
        await page.setViewportSize({ width: colorScheme === 'light' ? 1280 : 390, height: 800 });
        await shown.go(route);
        await page.waitForTimeout(600);
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
        );
        found.push(
          ...violations.map(
            ({ id, nodes }) =>
              `${colorScheme} ${route}: ${id} ${nodes
                .map(({ html }) => html)
                .slice(0, 2)
                .join(' ')}`,
          ),
        );
        await screenshot(`${colorScheme} ${route}`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    expect(found).toEqual([]);
  });

  it('says that the runtime is gone, and when it is back', async () => {
    const { page } = shown.browser;
    await shown.go('#/inside');
    await page.locator('.flow-box').getByText('ready').waitFor();
    await runtime[Symbol.asyncDispose]();
    await page.locator('.flow-box.problem').first().waitFor({ timeout: 60_000 });
    runtime = await startFakeRuntime(runtimeFolder, '--images', join(runtimeFolder, 'images.yaml'));
    await page.locator('.flow-box.problem').first().waitFor({ state: 'detached', timeout: 60_000 });
  });

  it('stays open while the agent restarts, and goes on', async () => {
    const { page } = shown.browser;
    await shown.go('#/pods');
    const before = shown.browser.complaints.length;
    await shown.agent.end('SIGKILL');
    await page.getByText('The agent does not answer').waitFor();
    await page.locator('.pods-table').getByText('default/web-node1').waitFor();
    await shown.startAgain();
    await page.getByText('The agent does not answer').waitFor({ state: 'detached' });
    await page.locator('.connection.live').waitFor();
    await shown.put('after');
    await page.locator('.pods-table').getByText('default/after-node1').waitFor();
    // The browser itself reports each request that failed meanwhile.
    const reported = shown.browser.complaints.splice(before);
    expect(reported.filter((text) => !/Failed to load resource|ERR_/.test(text))).toEqual([]);
  });

  it('has no other error in its console', () => {
    expect(
      shown.browser.complaints.filter(
        (text) => !/Failed to load resource: the server responded with a status of 404/.test(text),
      ),
    ).toEqual([]);
  });

  /** Keeps a picture for people, when `RXLET_TEST_SCREENSHOTS` names a folder. */
  async function screenshot(title: string): Promise<void> {
    const folder = process.env['RXLET_TEST_SCREENSHOTS'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await shown.browser.page.screenshot({ path: join(folder, `${title.replace(/\W+/g, '-')}.png`) });
  }
});
