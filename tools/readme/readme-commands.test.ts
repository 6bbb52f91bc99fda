import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, readCommands } from './readme-blocks.ts';

const WORKSPACE = join(import.meta.dirname, '../..');
const RXLET = join(WORKSPACE, 'apps/agent/bin/rxlet');
const DOCUMENTS = ['README.md', 'apps/agent/README.md', 'docs/play.md'];
/** Agents start within it also on a busy machine. */
const HOOK_TIMEOUT_MS = 60_000;
/** Commands that go on until they are interrupted. */
const ENDLESS = / (?:-f|-w|--watch|ui)(?: |$)/;

/** The command lines of rxlet in the documents, in their order, as they are written there. */
const lines: readonly string[] = (
  await Promise.all(
    DOCUMENTS.map(async (name) =>
      readBlocks(await readFile(join(WORKSPACE, name), 'utf8'))
        .filter(({ language }) => language === 'sh' || language === 'console')
        .flatMap(({ language, code }) =>
          readCommands(
            language === 'sh'
              ? code
              : code
                  .split('\n')
                  .filter((line) => line.startsWith('$ '))
                  .join('\n'),
          ),
        )
        .filter(([program]) => program === 'rxlet')
        .map((words) => words.join(' ')),
    ),
  )
).flat();
const isAgent = (line: string): boolean => line.startsWith('rxlet --');
const needsNode = (line: string): boolean => /--container-runtime-endpoint|--kubeconfig|\/etc\/kubernetes/.test(line);

let folder: string;
const stops: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-readme-'));
  // Paths of a document are those of the workspace, or of its own folder.
  await symlink(join(WORKSPACE, 'apps'), join(folder, 'apps'));
  await symlink(join(WORKSPACE, 'apps/agent/examples'), join(folder, 'examples'));
});
afterAll(async () => {
  await run('rxlet play apps/agent/workloads/shop/shop.yaml --down', 'play').ended;
  for (const stop of stops) await stop();
  await rm(folder, { recursive: true, force: true });
}, HOOK_TIMEOUT_MS);

/** Starts a line in a shell, with the root directory of that name unless the line names one. */
function run(line: string, root: string) {
  const env = {
    ...process.env,
    PATH: `${dirname(RXLET)}:${process.env['PATH'] ?? ''}`,
    RXLET_ROOT: join(folder, root),
    XDG_RUNTIME_DIR: folder,
  };
  const child = spawn('bash', ['-c', `exec ${line}`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  return {
    output: () => output,
    interrupt: () => void child.kill('SIGINT'),
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
  };
}

async function printsSoon(running: ReturnType<typeof run>, pattern: RegExp): Promise<void> {
  await eventually(`the output has ${String(pattern)}`, async () => pattern.test(running.output()), running.output);
}

it('finds the commands of the documents', () => {
  expect(lines.length).toBeGreaterThan(20);
  expect(lines).toContain('rxlet get pods -o wide');
});

describe('commands of the documents', () => {
  it.each(lines.filter((line) => isAgent(line) && !needsNode(line)))('starts an agent: %s', async (line) => {
    const agent = run(line, 'unused');
    await printsSoon(agent, /rxlet is running/);
    agent.interrupt();
    expect(await agent.ended, agent.output()).toBe(0);
  });

  it.each(lines.filter(needsNode).map((line) => [line, line.replace(/^rxlet(?: check)?/, 'rxlet check')] as const))(
    'takes the flags that need a node: %s',
    async (_line, check) => {
      const checked = run(check, 'unused');
      // 2 would be a wrong command line. The runtime or the files are not on every machine.
      expect([0, 1], checked.output()).toContain(await checked.ended);
      expect(checked.output()).toMatch(/fit to be a node|no such file/);
    },
  );

  it('plays a file, replaces it and removes it', { timeout: 120_000 }, async () => {
    const played = lines.filter((line) => line.startsWith('rxlet play'));
    expect(played.length).toBeGreaterThan(2);
    for (const line of played) {
      const running = run(line, 'play');
      expect(await running.ended, `${line}\n${running.output()}`).toBe(0);
    }
  });

  describe('with a running agent', () => {
    beforeAll(async () => {
      const agent = run('rxlet --fake-runtime --pod-manifest-path examples --hostname-override node1', 'root');
      stops.push(() => {
        agent.interrupt();
        return agent.ended;
      });
      const crash = run(
        'rxlet --fake-runtime --pod-manifest-path apps/agent/broken-pods --hostname-override node1',
        'broken',
      );
      stops.push(() => {
        crash.interrupt();
        return crash.ended;
      });
      await printsSoon(agent, /"pod is Running" pod="web-node1"/);
      await printsSoon(crash, /crash-node1/);
    }, HOOK_TIMEOUT_MS);
    const others = lines.filter((line) => !isAgent(line) && !needsNode(line) && !line.startsWith('rxlet play'));

    it.each(others)('runs %s', async (line) => {
      const running = run(line, line.endsWith(' crash') ? 'broken' : 'root');
      if (ENDLESS.test(line)) {
        await printsSoon(running, /\S/);
        running.interrupt();
      }
      expect(await running.ended, running.output()).toBe(0);
      expect(running.output()).toMatch(line.includes('-- sh') ? /^/ : /\S/);
    });
  });
});
