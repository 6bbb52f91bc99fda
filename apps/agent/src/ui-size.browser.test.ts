import { readFileSync } from 'node:fs';
import { sleep, systemClock } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { browserUnavailable } from './test-support/browser.ts';
import { type PageAgent, startPageAgent } from './test-support/page-agent.ts';

const unavailable = browserUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

const KILOBYTE = 1000;
/** Limit of the first view, compressed. */
const MAX_FIRST_VIEW_BYTES = 100 * KILOBYTE;
/** The limit is one second on an idle machine; tests share theirs with others. */
const MAX_FIRST_VIEW_MS = 5000;
const REST_MS = 4000;
const SETTLE_MS = 3000;
/** Limit of the messages to a page while nothing changes. */
const MAX_REST_MESSAGES = 10;

/** The use at rest is measured with the most pods alone, as that takes a while. */
const MOST_PODS = 1000;

describe.skipIf(unavailable !== undefined).each([110, MOST_PODS])(
  'the page of a node with %i pods',
  { timeout: 180_000 },
  (pods) => {
    it('is small, soon there, fluid, and with the most pods costs next to nothing at rest', async () => {
      await using shown = await startPageAgent({
        kubelet: { maxPods: 1100 },
        async prepare({ put }) {
          for (let index = 0; index < pods; index += 1) await put(`pod-${String(index).padStart(4, '0')}`);
        },
      });
      const { page } = shown.browser;
      const rows = page.locator('.pods-table .row:not(.head)');
      await page.getByRole('button', { name: `Ready ${String(pods)}` }).waitFor({ timeout: 120_000 });
      expect(await rows.count()).toBe(pods);

      const session = await shown.browser.context.newCDPSession(page);
      await session.send('Network.setCacheDisabled', { cacheDisabled: true });
      let bytes = 0;
      page.on('response', (response) => {
        if (/\/ui\/(?:$|assets\/)/.test(response.url())) bytes += Number(response.headers()['content-length']);
      });
      const startMs = systemClock.monotonicNow();
      await page.reload();
      await rows.first().waitFor();
      const firstViewMs = systemClock.monotonicNow() - startMs;
      const firstViewBytes = bytes;

      const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
      const times = [];
      let last = performance.now();
      const height = document.documentElement.scrollHeight - innerHeight;
      const step = (now) => {
        times.push(now - last);
        last = now;
        scrollTo(0, (height * times.length) / 60);
        if (times.length < 60) requestAnimationFrame(step);
        else resolve(times.sort((a, b) => a - b));
      };
      requestAnimationFrame(step);
    })`);

      console.log(
        `${String(pods)} pods: first view ${(firstViewBytes / KILOBYTE).toFixed(1)} kB compressed in ${firstViewMs.toFixed(0)} ms; ` +
          `frames while scrolling: median ${frames[30]!.toFixed(0)} ms, slowest of 60 ${frames[59]!.toFixed(0)} ms`,
      );
      expect(firstViewBytes).toBeGreaterThan(10 * KILOBYTE);
      expect(firstViewBytes).toBeLessThan(MAX_FIRST_VIEW_BYTES);
      expect(firstViewMs).toBeLessThan(MAX_FIRST_VIEW_MS);
      if (pods === MOST_PODS) {
        let messages = 0;
        await session.send('Network.enable');
        for (const kind of ['Network.requestWillBeSent', 'Network.dataReceived'] as const)
          session.on(kind, () => void (messages += 1));
        const { openShare, closedShare, restMessages } = await measureRest(shown, () => messages);
        console.log(
          `agent and rxlet ui at rest: ${(100 * openShare).toFixed(2)} % of a core with the page open, ${(100 * closedShare).toFixed(2)} % without; ${String(restMessages)} messages to the page in ${String(REST_MS / 1000)} s`,
        );
        // Those of the first view, which show that they are counted.
        expect(messages).toBeGreaterThan(MAX_REST_MESSAGES);
        expect(restMessages).toBeLessThanOrEqual(MAX_REST_MESSAGES);
      }
      expect(shown.browser.complaints).toEqual([]);
    });
  },
);

/** Cost of the page while nothing changes. */
interface Rest {
  /** Shares of a core with the page open and without. */
  readonly openShare: number;
  readonly closedShare: number;
  /** Requests of the page, and pieces of answers, in {@link REST_MS}. */
  readonly restMessages: number;
}

/** Measures {@link Rest}. Relists become rare after the start of the pods: measured before and after, that does not count as the page's. */
async function measureRest(shown: PageAgent, messages: () => number): Promise<Rest> {
  const { page } = shown.browser;
  const address = page.url();
  await page.goto('about:blank');
  // What a view has caused is over by then.
  await sleep(systemClock, SETTLE_MS);
  const shareBefore = await cpuShare(shown);
  await page.goto(address);
  await page.locator('.pods-table .row:not(.head)').first().waitFor();
  await sleep(systemClock, SETTLE_MS);
  const before = messages();
  const openShare = await cpuShare(shown);
  const restMessages = messages() - before;
  await page.goto('about:blank');
  await sleep(systemClock, SETTLE_MS);
  return { openShare, closedShare: (shareBefore + (await cpuShare(shown))) / 2, restMessages };
}

/** Returns the share of a core that the agent and `rxlet ui` use, over some seconds. */
async function cpuShare(shown: PageAgent): Promise<number> {
  const before = cpuSeconds(shown);
  await sleep(systemClock, REST_MS);
  return (cpuSeconds(shown) - before) / (REST_MS / 1000);
}

/** CPU time of the agent and of `rxlet ui`. */
function cpuSeconds({ agent, ui }: PageAgent): number {
  const ticks = [agent.pid, ui.pid].map((pid) => {
    const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')[1]!
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return (ticks[0]! + ticks[1]!) / 100;
}
