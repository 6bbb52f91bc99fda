import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDevicePlugin, type TestDevicePlugin } from '@rxlet/device-manager/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentUnderTest, shell, type TestNode, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const RESOURCE = 'lab.example.com/zero';

describeOnEachRuntime('devices of plugins', {}, (startNode) => {
  let node: TestNode;
  let agent: AgentUnderTest;
  let plugin: TestDevicePlugin;
  let directory: string;

  const startPlugin = async (): Promise<void> => {
    plugin = createTestDevicePlugin({
      resource: RESOURCE,
      devices: [{ id: 'a' }, { id: 'b' }],
      preStart: true,
      allocate: (ids) => ({
        envs: { ZEROS: ids.join(',') },
        devices: ids.map((id) => ({ hostPath: '/dev/zero', containerPath: `/dev/zero-${id}`, permissions: 'r' })),
        mounts: [{ hostPath: join(node.folder, 'lib'), containerPath: '/lib/zero', readOnly: true }],
      }),
    });
    // A plugin that is there before the agent loses its socket.
    const isThere = (): Promise<boolean> =>
      access(join(directory, 'kubelet.sock')).then(
        () => true,
        () => false,
      );
    await agent.eventually('plugins may register', isThere);
    await rm(join(directory, 'zero.sock'), { force: true });
    await plugin.listen(join(directory, 'zero.sock'));
    await agent.eventually('the plugin is registered', () =>
      plugin.register(join(directory, 'kubelet.sock'), 'zero.sock').then(
        () => true,
        () => false,
      ),
    );
    await agent.eventually('the devices are known', async () => plugin.calls.includes('ListAndWatch'));
  };
  const write = (name: string, count: number): Promise<void> =>
    agent.write(name, {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'app', ...shell(untilStopped()), resources: { limits: { [RESOURCE]: String(count) } } }],
    });
  const runningId = async (name: string): Promise<string> =>
    (await agent.eventually(`${name} runs`, () => agent.running(name, 'app'))).id;
  const run = async (containerId: string, script: string): Promise<string> => {
    const { stdout, stderr } = await node.cri.runtime.execSync({ containerId, cmd: ['sh', '-c', script] });
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  };
  const rejection = (name: string): Promise<string> =>
    agent.eventually(`${name} is rejected`, async () => (await agent.pod(name))?.status?.message);

  beforeAll(async () => {
    node = await startNode();
    await mkdir(join(node.folder, 'lib'));
    await writeFile(join(node.folder, 'lib/driver'), 'of the vendor');
    agent = await node.agent();
    directory = join(agent.folders.root, 'device-plugins');
    await startPlugin();
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await plugin?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  it('reach their container, stay its own over a kill of the agent, and are free after its end', async () => {
    await write('one', 1);
    const one = await runningId('one');
    const look = 'echo $ZEROS; head -c 2 /dev/zero-a | od -An -tx1; cat /lib/zero/driver';
    expect(await run(one, look)).toBe('a\n 00 00\nof the vendor');
    expect(plugin.calls).toContain('PreStartContainer a');

    await agent.end('SIGKILL');
    await plugin[Symbol.asyncDispose]();
    agent.startAgain();
    await agent.eventually('the agent knows the pod', () => agent.pod('one'));
    await startPlugin();
    await write('two', 1);
    expect(await run(await runningId('two'), 'echo $ZEROS; ls /dev | grep zero-')).toBe('b\nzero-b\n');
    expect(await runningId('one')).toBe(one);

    await write('three', 1);
    expect(await rejection('three')).toContain(
      `requested number of devices unavailable for ${RESOURCE}. Requested: 1, Available: 0`,
    );
    await agent.remove('one');
    await agent.eventually('the device is free', async () => !(await agent.running('one', 'app')));
    await agent.eventually('the pod is gone', async () => (await agent.pod('one')) === undefined);
    await write('four', 1);
    expect(await run(await runningId('four'), 'echo $ZEROS')).toBe('a\n');
  });
});
