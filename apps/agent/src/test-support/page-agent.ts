import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@rxlet/test-containerd/eventually';
import { type AgentProcess, makeAgentFolders, startAgent } from './agent-process.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { startUi, type UiProcess } from './ui-process.ts';

/** An agent on a fake runtime, `rxlet ui` beside it, and a browser that shows the page. */
export interface PageAgent extends AsyncDisposable {
  readonly folder: string;
  readonly browser: TestBrowser;
  readonly ui: UiProcess;
  agent: AgentProcess;
  /** Writes the manifest of a pod: `spec` is that of its container `main`, which sleeps by default. */
  put(name: string, container?: object, pod?: { readonly metadata?: object; readonly spec?: object }): Promise<void>;
  remove(name: string): void;
  /** Starts the agent again, after it was ended. */
  startAgain(): Promise<void>;
  /** Shows a route, such as `#/pods/default/web-node1`. */
  go(route: string): Promise<void>;
}

/** Options of {@link startPageAgent}. */
export interface PageAgentOptions {
  /** Flags of the agent; default: the embedded runtime. */
  readonly agentFlags?: (folder: string) => Promise<readonly string[]>;
  readonly uiFlags?: readonly string[];
  readonly kubelet?: object;
  /** Called before the agent starts. */
  readonly prepare?: (page: Pick<PageAgent, 'put'>) => Promise<void>;
}

/** Starts a {@link PageAgent} and opens its page. */
export async function startPageAgent(options: PageAgentOptions = {}): Promise<PageAgent> {
  const { agentFlags, uiFlags = [], kubelet, prepare } = options;
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-ui-'));
  const folders = await makeAgentFolders(folder, kubelet);
  const flags = agentFlags === undefined ? ['--fake-runtime'] : await agentFlags(folder);
  const put: PageAgent['put'] = (name, container = {}, { metadata, spec } = {}) =>
    writeFile(
      join(folders.manifests, `${name}.yaml`),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, ...metadata },
        spec: {
          containers: [{ name: 'main', image: 'busybox:1.36', command: ['sleep', 'infinity'], ...container }],
          ...spec,
        },
      }),
    );
  const start = async (): Promise<AgentProcess> => {
    const agent = startAgent(folders, ...flags);
    await eventually('the agent runs', async () => agent.output().includes('rxlet is running'), agent.output);
    return agent;
  };
  await prepare?.({ put });
  const agent = await start();
  const ui = await startUi(folders.root, ...uiFlags);
  const browser = await startBrowser();
  await browser.page.goto(ui.address);
  const shown: PageAgent = {
    folder,
    browser,
    ui,
    agent,
    put,
    remove: (name) => rmSync(join(folders.manifests, `${name}.yaml`)),
    async startAgain() {
      shown.agent = await start();
    },
    async go(route) {
      await browser.page.evaluate(`location.hash = ${JSON.stringify(route)}`);
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await ui[Symbol.asyncDispose]();
      await shown.agent[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return shown;
}
