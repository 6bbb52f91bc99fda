import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { sleep, systemClock } from '@rxlet/component-base';
import { type Life, restoreLife } from '@rxlet/journal/model';
import { lifeProblems } from '@rxlet/journal/testing';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectToAgent } from './commands/agent-connection.ts';
import { runRxlet } from './test-support/agent-process.ts';

const AGENT = join(import.meta.dirname, '..');
const MANIFESTS = join(AGENT, 'broken-pods');

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-explain-'));
});
afterEach(async () => {
  await end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

function start(): void {
  const args = [
    '--fake-runtime',
    '--root-dir',
    folder,
    '--pod-manifest-path',
    MANIFESTS,
    '--hostname-override',
    'node1',
  ];
  child = spawn(join(AGENT, 'bin/rxlet'), args, { stdio: 'ignore' });
}

async function end(signal: NodeJS.Signals): Promise<void> {
  const ending = child;
  child = undefined;
  if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
  const ended = new Promise((resolve) => ending.once('close', resolve));
  ending.kill(signal);
  await ended;
}

const explain = async (...args: readonly string[]): Promise<string> =>
  (await runRxlet('--root-dir', folder, 'explain', ...args)).stdout.trim();

/** Replaces durations, which differ from run to run. */
function withoutTimes(text: string): string {
  return text
    .replace(/\b\d+(\.\d+)?(ms|s|m|m\d+s)\b/g, 'TIME')
    .replaceAll(/next try in TIME|the next try is due/g, 'next try');
}

it('the README shows what rxlet explain prints of the three broken pods', { timeout: 120_000 }, async () => {
  const readme = await readFile(join(AGENT, '../../README.md'), 'utf8');
  const shown = /```console\n\$ npx rxlet explain\n(?<node>.*?)\n\n\$ npx rxlet explain crash\n(?<pod>.*?)\n```/s.exec(
    readme,
  );
  const { node = '', pod = '' } = shown?.groups ?? {};
  expect([node, pod]).not.toContain('');
  start();
  let printed = '';
  await eventually(
    'the pods wait for what the README says',
    async () => {
      printed = await explain().catch(String);
      return withoutTimes(printed) === withoutTimes(node);
    },
    () => printed,
  );
  await eventually(
    'the pod that exits waits for its back-off',
    async () => withoutTimes((printed = await explain('crash'))).startsWith(withoutTimes(pod)),
    () => printed,
  );
  expect(printed).toContain('\nLast steps\n');
});

it(
  'the journal is readable after kill -9 at any moment: spans nest, and no life is there twice',
  { timeout: 240_000 },
  async () => {
    const path = join(folder, 'journal/journal');
    for (const pauseMs of [300, 1_100, 700, 1_600]) {
      start();
      // The socket opens once the agent has started.
      const connection = connectToAgent(join(folder, 'rxlet.sock'));
      await eventually('the agent answers', async () =>
        connection.getJson('/journal').then(
          () => true,
          () => false,
        ),
      );
      await sleep(systemClock, pauseMs);
      const { items } = (await connection.getJson('/journal')) as { items: readonly Life[] };
      expect(new Set(items.map(({ uid }) => uid)).size).toBe(items.length);
      await end('SIGKILL');
      const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
      const values = lines.flatMap((line) => {
        try {
          return JSON.parse(line) as { readonly type: string; readonly life: Life };
        } catch {
          // The last line may be torn.
          return [];
        }
      });
      expect(lines.length - values.length).toBeLessThanOrEqual(1);
      const lives = values.filter(({ type }) => type === 'life').map(({ life }) => restoreLife(life).snapshot());
      expect(lifeProblems(lives)).toEqual([]);
    }
    start();
    await eventually('the pods are explained again', async () =>
      (await explain().catch(String)).includes('0 of 3 pods'),
    );
    const { spans } = (await connectToAgent(join(folder, 'rxlet.sock')).getJson(
      '/journal/default/crash-node1',
    )) as Life;
    expect(spans.map(({ kind }) => kind)).toContain('agent.started');
  },
);
