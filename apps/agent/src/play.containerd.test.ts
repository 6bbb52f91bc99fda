import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandResult, makeAgentFolders, runShellLine } from './test-support/agent-process.ts';
import { hasRunningPods, mountsBelow, type TestNode } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const SHOP = join(import.meta.dirname, '../workloads/shop/shop.yaml');

describeOnEachRuntime('a played file', {}, (startNode) => {
  let node: TestNode;
  let root: string;
  let flags: string;
  const run = (line: string): Promise<CommandResult> => runShellLine(line, root);

  beforeAll(async () => {
    node = await startNode();
    const folders = await makeAgentFolders(join(node.folder, 'played'));
    ({ root } = folders);
    flags = `--config ${folders.config} --container-runtime-endpoint ${node.endpoint} --hostname-override node1`;
    await cp(SHOP, join(node.folder, 'shop.yaml'));
  }, 120_000);
  afterAll(async () => {
    await run(`rxlet play ${node.folder}/shop.yaml --down`);
    await node[Symbol.asyncDispose]();
  }, 120_000);

  it('runs on an agent that is started for it, and is gone with it', { timeout: 240_000 }, async () => {
    const check = await run(`rxlet check ${flags}`);
    expect(check.stdout).toMatch(/^ok +runtime +\S+ \S+$/m);
    const played = await run(`rxlet play ${node.folder}/shop.yaml ${flags}`);
    expect(played.exitCode, played.stderr).toBe(0);
    expect(played.stdout).toMatch(/^default +shop-node1 +2\/2 +Running/m);
    const secret = await run('rxlet exec shop -c web -- cat /run/secrets/database/username');
    expect(secret.stdout).toBe('shop');
    const again = await run(`rxlet check ${flags}`);
    expect(again.stdout).toMatch(/^warning +agent +an agent runs with this root directory already$/m);
    const down = await run(`rxlet play ${node.folder}/shop.yaml --down`);
    expect(down.exitCode, down.stderr).toBe(0);
    expect(down.stderr).toContain('the agent that was started for it has ended');
    expect(await hasRunningPods(node.cri)).toBe(false);
    expect(await mountsBelow(root)).toEqual([]);
  });
});
