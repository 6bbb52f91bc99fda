import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserUnavailable, startBrowser, type TestBrowser } from './test-support/browser.ts';
import {
  type AgentUnderTest,
  type ContainerdNode,
  shell,
  startContainerdNode,
} from './test-support/containerd-node.ts';
import { startUi, type UiProcess } from './test-support/ui-process.ts';

const unavailable = containerdUnavailable() ?? browserUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('the page of a node on containerd', () => {
  let node: ContainerdNode;
  let agent: AgentUnderTest;
  let ui: UiProcess;
  let browser: TestBrowser;
  beforeAll(async () => {
    node = await startContainerdNode();
    agent = await node.agent();
    await agent.write('web', {
      containers: [{ name: 'main', ...shell('n=0; while :; do n=$((n+1)); echo "line $n"; sleep 0.2; done') }],
      terminationGracePeriodSeconds: 1,
    });
    await agent.eventually('the pod runs', () => agent.running('web', 'main'));
    ui = await startUi(agent.folders.root, '--exec');
    browser = await startBrowser();
    await browser.page.goto(ui.address);
  }, 120_000);
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await ui?.[Symbol.asyncDispose]();
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  }, 120_000);

  const go = (route: string): Promise<unknown> => browser.page.evaluate(`location.hash = ${JSON.stringify(route)}`);

  it('shows the start of a pod: sandbox, creation and start of its container', async () => {
    await go('#/pods/default/web-node1');
    for (const name of [/^create, /, /^running, /]) await browser.page.getByRole('button', { name }).first().waitFor();
  });

  it('follows the log', async () => {
    await go('#/pods/default/web-node1/logs');
    const lines = browser.page.locator('.log-lines .line');
    await lines.first().waitFor();
    const before = await lines.count();
    await expect.poll(() => lines.count(), { timeout: 20_000 }).toBeGreaterThan(before + 3);
    expect(await lines.last().locator('.text').innerText()).toMatch(/^line \d+$/);
  });

  it('runs a shell in a terminal, which knows its size and ends with its exit code', async () => {
    const { page } = browser;
    await go('#/pods/default/web-node1/terminal');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('connected to main').waitFor();
    const screen = page.locator('.xterm-accessibility-tree');
    await page.keyboard.type('echo $((6*7))$((6*7)); stty size\r');
    await screen.getByText(/^4242/).first().waitFor();
    await screen
      .getByText(/^\d\d \d\d+/)
      .first()
      .waitFor();
    await page.keyboard.type('exit 5\r');
    await page.getByText(/exit code 5/).waitFor();
  });

  it('shows the calls of the runtime with their latencies', async () => {
    await go('#/inside');
    await browser.page.getByRole('region', { name: 'Calls of the runtime' }).getByText('run_podsandbox').waitFor();
    expect(browser.complaints).toEqual([]);
  });
});
