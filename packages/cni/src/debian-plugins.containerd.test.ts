import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setUpLoopback } from './loopback.ts';
import { sandboxAddresses } from './result.ts';
import { createTestNode, type TestNode } from './test-support/plugin-folder.ts';
import { systemClock } from '@rxlet/component-base';
import { createHostFiles } from '@rxlet/node-files';
import { runProcess } from './run-process.ts';

const run = promisify(execFile);
const PLUGINS = '/usr/lib/cni';
const isAvailable = process.getuid?.() === 0 && existsSync(`${PLUGINS}/bridge`);

describe.skipIf(!isAvailable)("Debian's plugins in a network namespace", () => {
  const name = `cnitest-${String(process.pid)}`;
  const bridge = `cni${process.pid.toString(36)}`;
  const netnsPath = `/var/run/netns/${name}`;
  const environment = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
  let node: TestNode;

  beforeEach(async () => {
    node = await createTestNode({ pluginFolders: [PLUGINS], environment });
    await run('ip', ['netns', 'add', name]);
    const ipam = { type: 'host-local', dataDir: `${node.folder}/addresses`, ranges: [[{ subnet: '10.254.253.0/24' }]] };
    await node.configure('10-net.conflist', {
      cniVersion: '1.0.0',
      name: bridge,
      plugins: [
        { type: 'bridge', bridge, isGateway: true, ipam },
        { type: 'bandwidth', capabilities: { bandwidth: true } },
      ],
    });
  });
  afterEach(async () => {
    await run('ip', ['netns', 'delete', name]).catch(() => undefined);
    await run('ip', ['link', 'delete', bridge]).catch(() => undefined);
    await node[Symbol.asyncDispose]();
  });
  const inside = async (...command: string[]): Promise<string> =>
    (await run('ip', ['netns', 'exec', name, ...command])).stdout;

  it('connects, checks and disconnects', async () => {
    expect(await node.cni.status()).toEqual({ isReady: true, network: bridge });
    const attachment = {
      containerId: name,
      netnsPath,
      capabilities: { bandwidth: { ingressRate: 8_000_000, ingressBurst: 8_000_000 } },
    };
    const [ip] = sandboxAddresses(await node.cni.add(attachment));
    expect(ip).toMatch(/^10\.254\.253\./);
    expect(await inside('ip', '-4', '-oneline', 'address', 'show', 'eth0')).toContain(`${ip!}/24`);
    await node.cni.check(attachment);
    await node.cni.remove(attachment);
    await node.cni.remove(attachment);
    await expect(inside('ip', 'link', 'show', 'eth0')).rejects.toThrow('eth0');
  });

  it('releases the address of a container whose namespace is gone', async () => {
    await node.cni.add({ containerId: name, netnsPath });
    await run('ip', ['netns', 'delete', name]);
    await node.cni.remove({ containerId: name, netnsPath: undefined });
    expect(await node.cni.attachments()).toEqual([]);
    const { stdout } = await run('ls', [`${node.folder}/addresses/${bridge}`]);
    expect(stdout).not.toMatch(/^10\.254/m);
  });

  it('brings the loopback interface up', async () => {
    const ports = { clock: systemClock, hostFiles: createHostFiles(), runProcess };
    await setUpLoopback({ ...ports, pluginFolders: [PLUGINS], environment }, { containerId: name, netnsPath });
    expect(await inside('ip', '-oneline', 'link', 'show', 'lo')).toMatch(/<LOOPBACK,UP/);
  });
});
