import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserUnavailable, startBrowser } from './test-support/browser.ts';
import { type PageAgent, startPageAgent } from './test-support/page-agent.ts';

const unavailable = browserUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

/** Texts that would run a script where text becomes HTML, an attribute, an address or a script. */
const XSS = [
  `<img src=x onerror="window.attacked='image'">`,
  `"><svg onload="window.attacked='svg'">`,
  `</script><script>window.attacked='script'</script>`,
  `javascript:window.attacked='address'`,
  `\${window.attacked='template'}`,
  `' onmouseover='window.attacked=1' style='position:fixed;inset:0`,
].join(' ');
/** Sequences that clear the screen, set the title, write to the clipboard, ask for an answer, and turn the direction of text. */
const ESCAPES =
  '\x1b[2J\x1b]0;attacked\x07\x1b]52;c;YXR0YWNrZWQ=\x07\x1b[6n\x1b]8;;http://evil.test\x07link\x1b]8;;\x07\u202egnp.exe';
/** The same for a terminal, with a color for which cells get styles of their own. */
const TERMINAL_OUTPUT = `${ESCAPES} \x1b[38;2;200;2;3mdone\x1b[0m ${XSS}`;

describe.skipIf(unavailable !== undefined)('a hostile pod', { timeout: 60_000 }, () => {
  let shown: PageAgent;

  beforeAll(async () => {
    shown = await startPageAgent({
      uiFlags: ['--exec'],
      async prepare({ put }) {
        const script = {
          log: [{ text: `begin ${XSS} ${ESCAPES} end`, everySeconds: 1 }],
          exec: [{ command: ['attack'], results: [{ stdout: TERMINAL_OUTPUT, takesSeconds: 1 }] }],
        };
        await put(
          'hostile',
          { env: [{ name: 'TEXT', value: XSS }], args: [ESCAPES] },
          {
            metadata: {
              annotations: { 'fake.rxlet.dev/main': JSON.stringify(script), text: `${XSS}${ESCAPES}` },
              labels: { safe: 'label' },
            },
          },
        );
        // The message of the failure is in the status and in events.
        await put(
          'failing',
          { image: `registry.test/x:1` },
          {
            metadata: { annotations: { 'fail.rxlet.dev/CreateContainer': `error(${XSS.replace(/[()]/g, '')})` } },
          },
        );
        // Names are checked by the API's rules: such a manifest never becomes a pod, and the problem shows its name.
        await put('broken', { image: XSS });
      },
    });
  }, 120_000);
  afterAll(() => shown?.[Symbol.asyncDispose]());

  it('runs no script and brings no element into the page, in any view', async () => {
    const { page } = shown.browser;
    const views = ['', '/containers', '/events', '/logs', '/yaml'].flatMap((tab) => [
      `#/pods/default/hostile-node1${tab}`,
      `#/pods/default/failing-node1${tab}`,
    ]);
    for (const view of ['#/pods', '#/events', '#/node', '#/inside', ...views]) {
      await shown.go(view);
      // The title has the name of the node once the page has its data.
      await expect.poll(() => page.title(), { timeout: 20_000 }).not.toBe('rxlet');
      await page.waitForTimeout(300);
      const found: unknown = await page.evaluate(
        `({ attacked: window.attacked, elements: document.querySelectorAll('img, iframe, object, embed, [onerror], [onload], [onmouseover], a[href^="javascript"]').length, scripts: document.scripts.length, title: document.title })`,
      );
      expect(found, view).toEqual({ elements: 0, scripts: 1, title: 'node1 · rxlet' });
    }
  });

  it('shows its text as text', async () => {
    const { page } = shown.browser;
    await shown.go('#/pods/default/hostile-node1/logs');
    const line = page.locator('.log-lines .line').first();
    await line.waitFor();
    const text = await line.innerText();
    expect(text).toContain(`<img src=x onerror="window.attacked='image'">`);
    expect(text).toContain('\\u202egnp.exe end');
    expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]|YXR0YWNrZWQ|evil\.test/);
    await shown.go('#/pods/default/failing-node1');
    await page.locator('.steps').getByText(`<img src=x onerror="window.attacked='image'">`).first().waitFor();
  });

  it('reaches neither title nor clipboard nor another address from a terminal', async () => {
    const { page } = shown.browser;
    await shown.go('#/pods/default/hostile-node1/terminal');
    await page.getByRole('textbox', { name: 'Command' }).fill('attack');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('.xterm-accessibility-tree').getByText(/done/).first().waitFor();
    expect(await page.title()).toBe('node1 · rxlet');
    expect(await page.evaluate('navigator.clipboard.readText().catch(() => "no permission")')).not.toContain(
      'attacked',
    );
    expect(await page.locator('a[href*="evil"]').count()).toBe(0);
    expect(shown.browser.context.pages()).toHaveLength(1);
  });

  it('has no error in the console of the page', () => {
    // The browser reports that a container that was never created has no log.
    const own = shown.browser.complaints.filter((text) => !text.includes('status of 400'));
    expect(own).toEqual([]);
  });
});

describe.skipIf(unavailable !== undefined)('a foreign page in the same browser', { timeout: 60_000 }, () => {
  let shown: PageAgent;
  const evil = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>evil</title>'),
  );

  beforeAll(async () => {
    shown = await startPageAgent({ uiFlags: ['--exec'], prepare: ({ put }) => put('web') });
    await shown.browser.page.getByText('default/web-node1').waitFor();
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  }, 120_000);
  afterAll(async () => {
    await shown?.[Symbol.asyncDispose]();
    evil.closeAllConnections();
    await new Promise((resolve) => evil.close(resolve));
  });

  it.each(['127.0.0.1', 'localhost'])(
    'reads nothing, sends nothing and opens no stream from another port of %s',
    async (host) => {
      const page = await shown.browser.context.newPage();
      await page.goto(`http://${host}:${String((evil.address() as AddressInfo).port)}/`);
      const { origin } = new URL(shown.ui.address);
      const attempts: unknown = await page.evaluate(`(async () => {
      const target = ${JSON.stringify(origin)};
      const outcome = (promise) => promise.then((answer) => answer.type === 'opaque' ? 'opaque' : answer.status, () => 'failed');
      const socket = (protocols) => new Promise((resolve) => {
        const opened = new WebSocket(target.replace('http', 'ws') + '/exec/default/web-node1/main?command=sh&input=1&output=1', protocols);
        opened.onopen = () => resolve('open');
        opened.onerror = () => resolve('failed');
      });
      const framed = await new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.src = target + '/ui/';
        frame.onload = () => { try { resolve(frame.contentDocument?.title ?? 'unreadable'); } catch { resolve('unreadable'); } };
        document.body.append(frame);
      });
      const script = await new Promise((resolve) => {
        const element = document.createElement('script');
        element.src = target + '/containerLogs/default/web-node1/main';
        element.onload = () => resolve('loaded');
        element.onerror = () => resolve('failed');
        document.body.append(element);
      });
      return {
        read: await outcome(fetch(target + '/ui/stream', { credentials: 'include' })),
        token: await outcome(fetch(target + '/ui/node', { credentials: 'include', headers: { 'x-rxlet-token': 'x' } })),
        post: await outcome(fetch(target + '/ui/ticket', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}' })),
        stream: await new Promise((resolve) => { const source = new EventSource(target + '/ui/stream', { withCredentials: true }); source.onmessage = () => resolve('message'); source.onerror = () => resolve('failed'); }),
        socket: await socket(['v5.channel.k8s.io']),
        ticket: await socket(['v5.channel.k8s.io', 'rxlet.ticket.00']),
        framed,
        script,
      };
    })()`);
      expect(attempts).toEqual({
        read: 'failed',
        token: 'failed',
        post: 'failed',
        stream: 'failed',
        socket: 'failed',
        ticket: 'failed',
        framed: 'unreadable',
        script: 'failed',
      });
      await page.close();
    },
  );

  it('gets no file by a name that leads to this machine (DNS rebinding)', async () => {
    const { port } = new URL(shown.ui.address);
    const names = ['127.0.0.1.evil.test', 'evil.test'];
    await using victim = await startBrowser({
      args: [`--host-resolver-rules=MAP *.evil.test 127.0.0.1,MAP evil.test 127.0.0.1`],
    });
    for (const name of names) {
      const answer = await victim.page.goto(`http://${name}:${port}/ui/`);
      expect([answer?.status(), (await victim.page.locator('body').innerText()).trim()]).toEqual([
        421,
        'the request is for another host',
      ]);
    }
  });
});
