import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserUnavailable, startBrowser, type TestBrowser } from './test-support/browser.ts';
import { startUi, type UiProcess } from './test-support/ui-process.ts';

const unavailable = browserUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

/** Would run a script where text becomes HTML, an attribute, an address, a style or a script; turns the direction of text, and clears a terminal. */
const HOSTILE = [
  `<img src=x onerror="window.attacked='image'">`,
  `"><svg onload="window.attacked='svg'">`,
  `</script><script>window.attacked='script'</script>`,
  `javascript:window.attacked='address'`,
  `\${window.attacked='template'}`,
  `' onmouseover='window.attacked=1' style='position:fixed;inset:0`,
  '__proto__/../..%2f',
  '\x1b[2J\x1b]0;attacked\x07\u202egnp.exe',
].join(' ');
/** Name of a pod or namespace: without slashes, with which no address reaches the agent. */
const NAME = HOSTILE.replaceAll('/', '|');
const NOW = '2026-01-01T00:00:00Z';

/** A pod of which everything is hostile that an API server checks and this one did not: names, labels, states, times. */
const POD = {
  metadata: {
    uid: HOSTILE,
    namespace: NAME,
    name: NAME,
    labels: { [HOSTILE]: HOSTILE },
    annotations: { [HOSTILE]: HOSTILE },
    creationTimestamp: HOSTILE,
  },
  spec: {
    containers: [
      { name: HOSTILE, image: HOSTILE, command: [HOSTILE], env: [{ name: HOSTILE, value: HOSTILE }] },
      { name: '__proto__', image: HOSTILE, resources: { requests: { [HOSTILE]: HOSTILE, cpu: HOSTILE } } },
    ],
  },
  status: {
    phase: HOSTILE,
    reason: HOSTILE,
    message: HOSTILE,
    podIP: HOSTILE,
    conditions: [{ type: HOSTILE, status: HOSTILE, reason: HOSTILE, message: HOSTILE }],
    containerStatuses: [
      {
        name: HOSTILE,
        state: { waiting: { reason: HOSTILE, message: HOSTILE } },
        ready: false,
        restartCount: 1,
        image: HOSTILE,
        containerID: HOSTILE,
      },
    ],
  },
};
const ROW = {
  uid: HOSTILE,
  namespace: NAME,
  name: NAME,
  ready: HOSTILE,
  status: HOSTILE,
  restarts: 3,
  lastRestart: HOSTILE,
  created: HOSTILE,
  ip: HOSTILE,
  qos: HOSTILE,
  problem: HOSTILE,
  containers: [
    { name: NAME, kind: 'regular', ready: false, state: HOSTILE },
    { name: HOSTILE, kind: HOSTILE, ready: false, state: HOSTILE },
  ],
};
const EVENT = {
  namespace: NAME,
  object: `pod/${NAME}`,
  type: HOSTILE,
  reason: HOSTILE,
  message: HOSTILE,
  count: 1,
  firstMs: 1,
  lastMs: 2,
};
const span = (id: string, more: object) => ({
  id,
  parentId: 'root',
  startMs: 1_000,
  kind: HOSTILE,
  container: HOSTILE,
  subject: HOSTILE,
  ...more,
});
const LIFE = {
  id: 'root',
  uid: HOSTILE,
  namespace: NAME,
  name: NAME,
  startMs: 1_000,
  droppedSpans: 0,
  spans: [
    { id: 'root', kind: 'pod', startMs: 1_000 },
    span('1', { endMs: 2_000, outcome: { result: HOSTILE, reason: HOSTILE, message: HOSTILE, code: HOSTILE } }),
    span('2', { kind: 'image.pull', attributes: { [HOSTILE]: HOSTILE, currentBytes: HOSTILE } }),
    span('3', { kind: 'container.exited', endMs: 1_000, attributes: { exitCode: HOSTILE } }),
  ],
};
const WAIT = { kind: HOSTILE, container: HOSTILE, subject: HOSTILE, sinceMs: 1, sentence: HOSTILE };
const EXPLANATION = {
  pod: { uid: HOSTILE, namespace: NAME, name: HOSTILE },
  state: HOSTILE,
  sentence: HOSTILE,
  sinceMs: 1,
  waitsFor: [WAIT],
  lastError: { message: HOSTILE, reason: HOSTILE, code: HOSTILE, atMs: 1, container: HOSTILE },
  help: [HOSTILE],
  steps: [
    {
      kind: HOSTILE,
      container: HOSTILE,
      subject: HOSTILE,
      startMs: 1,
      durationMs: 2,
      result: HOSTILE,
      message: HOSTILE,
    },
  ],
};
const PANEL = { name: HOSTILE, title: HOSTILE, summary: HOSTILE, columns: [HOSTILE], rows: [[HOSTILE]] };
const ANSWERS: Readonly<Record<string, unknown>> = {
  // Read by the command at its start.
  '/pods': { kind: 'PodList', items: [] },
  '/ui/node': {
    name: HOSTILE,
    addresses: [HOSTILE],
    resources: [{ name: HOSTILE, capacity: 1, allocatable: 1, requested: 1 }],
    pods: { active: 1, max: 2 },
    conditions: [{ type: HOSTILE, status: HOSTILE, reason: HOSTILE, message: HOSTILE, since: NOW }],
    checks: [{ name: HOSTILE, problem: HOSTILE }],
    panels: [PANEL],
  },
  '/ui/inside': {
    nowMs: 1,
    sections: {
      runtime: { problem: HOSTILE },
      pleg: { problem: HOSTILE },
      waits: [{ kind: HOSTILE, pods: 1, oldestAgeMs: 1 }],
      imagePulls: { pulls: [{ image: HOSTILE, phase: HOSTILE, position: 1, ageMs: 1 }] },
    },
    workers: { [HOSTILE]: 1 },
    panels: [PANEL],
  },
  '/journal': {
    kind: 'LifeList',
    items: [{ ...LIFE, spans: [], endMs: 2_000, state: HOSTILE, sentence: HOSTILE, sinceMs: 1 }],
  },
  '/explain': {
    kind: 'NodeExplanation',
    node: { node: HOSTILE, sentence: HOSTILE, problems: [{ part: HOSTILE, message: HOSTILE }] },
    podCount: 1,
    pods: [EXPLANATION],
  },
  '/stats/summary': {
    node: {},
    pods: [{ podRef: { name: HOSTILE, namespace: NAME, uid: HOSTILE }, containers: [{ name: HOSTILE }] }],
  },
  '/stats/history': {},
};

/** Serves what an agent would, on the socket of its owner. */
function hostileAgent(): Server {
  return createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]!;
    if (path === '/ui/stream' || path.startsWith('/journal/')) {
      response.setHeader('content-type', 'text/event-stream');
      const message = { isSnapshot: true, node: HOSTILE, nowMs: 3_000 };
      const changes = [
        { kind: 'pod', key: HOSTILE, value: ROW },
        { kind: 'event', key: HOSTILE, value: EVENT },
      ];
      if (path === '/ui/stream') response.write(`data: ${JSON.stringify({ ...message, changes })}\n\n`);
      else response.write(`event: life\ndata: ${JSON.stringify(LIFE)}\n\n`);
      return;
    }
    if (path === '/metrics') {
      const label = JSON.stringify(HOSTILE).slice(1, -1);
      response.end(
        `rxlet_watches{resource="${label}"} 1\nkubelet_runtime_operations_duration_seconds_bucket{operation_type="${label}",le="+Inf"} 1\n`,
      );
      return;
    }
    if (path.startsWith('/containerLogs/')) {
      response.end(`${NOW} stdout F ${HOSTILE.replaceAll('\n', ' ')}\n`);
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(path.startsWith('/ui/pods/') ? POD : path.startsWith('/explain/') ? EXPLANATION : ANSWERS[path]),
    );
  });
}

describe.skipIf(unavailable !== undefined)(
  'an agent whose pods have hostile names and labels',
  { timeout: 60_000 },
  () => {
    let folder: string;
    let agent: Server;
    let ui: UiProcess;
    let browser: TestBrowser;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rxlet-hostile-'));
      agent = hostileAgent();
      await new Promise<void>((resolve) => agent.listen(join(folder, 'rxlet.sock'), resolve));
      ui = await startUi(folder);
      browser = await startBrowser();
      await browser.page.goto(ui.address);
    }, 60_000);
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]();
      await ui?.[Symbol.asyncDispose]();
      agent.closeAllConnections();
      await new Promise((resolve) => agent.close(resolve));
      await rm(folder, { recursive: true, force: true });
    });

    const pod = `#/pods/${[NAME, NAME].map(encodeURIComponent).join('/')}`;
    it.each([
      '#/pods',
      '#/events',
      '#/node',
      '#/inside',
      ...['', '/containers', '/events', '/logs', '/yaml'].map((tab) => `${pod}${tab}`),
    ])('shows their text as text, and nothing of it runs (%#)', async (view) => {
      const { page } = browser;
      await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
      // Text that the page shows proves that the view has rendered what the agent sent.
      await page.locator('main').getByText(`<img src=x onerror="window.attacked='image'">`).first().waitFor();
      if (view.endsWith('/logs')) await page.locator('.log-lines .line').getByText('<img src=x').first().waitFor();
      await page.waitForTimeout(300);
      const found: unknown = await page.evaluate(
        `({ attacked: window.attacked, polluted: ({}).image, elements: document.querySelectorAll('img, iframe, object, embed, [onerror], [onload], [onmouseover], a[href^="javascript"], main [style*="fixed"]').length, scripts: document.scripts.length })`,
      );
      expect(found).toEqual({ elements: 0, scripts: 1 });
      expect(await page.locator('body').innerText()).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f\u202e]/);
      const hrefs = await page.evaluate<string[]>(
        `[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))`,
      );
      expect(hrefs.filter((href) => !href.startsWith('#'))).toEqual([]);
    });

    it('breaks no view', () => {
      expect(browser.complaints).toEqual([]);
    });
  },
);
