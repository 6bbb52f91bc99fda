import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { sleep, systemClock } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { createBench, devices, GPU, podOf, using } from './test-support.ts';
import { createTestDevicePlugin } from './testing/test-device-plugin.ts';

const { signal } = new AbortController();

describe('registration', () => {
  it('removes the sockets of earlier plugins and serves its own', async () => {
    const bench = await createBench();
    await bench.manager[Symbol.asyncDispose]();
    const stale = createServer();
    await new Promise<void>((resolve) => stale.listen(`${bench.directory}/stale.sock`, resolve));
    await writeFile(`${bench.directory}/notes`, '');
    await bench.restart();
    expect(await readdir(bench.directory)).toEqual(['kubelet.sock', 'notes']);
    expect((await stat(bench.socket)).mode & 0o777).toBe(0o755);
    stale.close();
  });

  it('offers the devices of a plugin until five minutes after its end', async () => {
    const bench = await createBench();
    const { manager, clock } = bench;
    const plugin = await bench.plug({ devices: [{ id: 'a' }, { id: 'b', isHealthy: false }] });
    expect(manager.devices.amounts()).toEqual({ capacity: { [GPU]: '2' }, allocatable: { [GPU]: '1' }, removed: [] });
    plugin.setDevices(devices(3));
    await bench.until(() => manager.devices.amounts().allocatable[GPU] === '3');
    await plugin[Symbol.asyncDispose]();
    await bench.until(() => manager.devices.amounts().allocatable[GPU] === '0');
    expect(manager.devices.amounts().capacity).toEqual({ [GPU]: '3' });
    await clock.advance(300_000);
    expect(manager.devices.amounts().capacity).toEqual({ [GPU]: '3' });
    await clock.advance(1);
    expect(manager.devices.amounts()).toEqual({ capacity: {}, allocatable: {}, removed: [GPU] });
    await bench.plug();
    expect(manager.devices.amounts()).toEqual({ capacity: { [GPU]: '2' }, allocatable: { [GPU]: '2' }, removed: [] });
  });

  it('offers no devices of a plugin whose list fails at once, and does not call it again', async () => {
    const bench = await createBench();
    const { manager, clock } = bench;
    const plugin = createTestDevicePlugin({ resource: GPU, devices: devices(2) });
    plugin.fault = (method) => {
      if (method === 'ListAndWatch') throw new Error('no driver');
    };
    await plugin.listen(`${bench.directory}/gpu.sock`);
    await plugin.register(bench.socket, 'gpu.sock');
    await bench.until(() => GPU in manager.devices.amounts().capacity);
    const none = { capacity: { [GPU]: '0' }, allocatable: { [GPU]: '0' }, removed: [] };
    expect(manager.devices.amounts()).toEqual(none);
    expect(await manager.admit(podOf('one', [using('app', 1)]))).toMatchObject({ reason: 'UnexpectedAdmissionError' });
    await clock.advance(300_000);
    expect(manager.devices.amounts()).toEqual(none);
    await clock.advance(1);
    // The node reports 0 of a resource that was removed.
    expect(manager.devices.amounts()).toEqual({ capacity: {}, allocatable: {}, removed: [GPU] });
    expect(plugin.calls).toEqual(['GetDevicePluginOptions', 'ListAndWatch']);
    await plugin[Symbol.asyncDispose]();
    await bench.plug();
    expect(manager.devices.amounts()).toMatchObject({ allocatable: { [GPU]: '2' }, removed: [] });
  });

  it('follows a plugin that registers again, and not the one before', async () => {
    const bench = await createBench();
    const first = await bench.plug({ devices: devices(1) });
    await bench.plug({ devices: devices(4) }, 'other.sock');
    await bench.until(() => bench.manager.devices.amounts().allocatable[GPU] === '4');
    first.setDevices(devices(9));
    await first[Symbol.asyncDispose]();
    await bench.clock.advance(600_000);
    expect(bench.manager.devices.amounts().allocatable).toEqual({ [GPU]: '4' });
  });

  it('rejects what it cannot register, with the messages of a kubelet', async () => {
    const bench = await createBench();
    const rejection = async (resource: string, endpoint: string, version = 'v1beta1'): Promise<string> => {
      const plugin = createTestDevicePlugin({ resource, devices: [] });
      return plugin.register(bench.socket, endpoint, { version }).then(
        () => 'registered',
        // The client leaves slashes encoded.
        (error: Error) => decodeURIComponent(error.message),
      );
    };
    const prefix = 'rpc error: code = Unknown desc = ';
    expect(await rejection(GPU, 'gpu.sock', 'v1alpha')).toBe(
      `${prefix}requested API version "v1alpha" is not supported by kubelet. Supported version is ["v1beta1"]`,
    );
    for (const name of [
      'gpu',
      'kubernetes.io/gpu',
      'example.com/',
      'requests.example.com/gpu',
      `a.b/${'x'.repeat(64)}`,
    ])
      expect(await rejection(name, 'gpu.sock')).toBe(`${prefix}the ResourceName "${name}" is invalid`);
    await symlink('/var/run/other.sock', `${bench.directory}/link.sock`);
    for (const endpoint of ['', '.', '..', '../x.sock', '/x.sock', 'sub/x.sock', 'link.sock'])
      expect(await rejection(GPU, endpoint)).toMatch(/the endpoint ".*" is no socket in/);
    expect(await rejection(GPU, 'missing.sock')).toContain('failed to get device plugin options: rpc error');
    expect(bench.manager.devices.amounts().capacity).toEqual({});
  });

  it('accepts plugins of the plugin watcher', async () => {
    const bench = await createBench();
    const plugin = createTestDevicePlugin({ resource: GPU, devices: devices(2) });
    const endpoint = `${bench.root}/watched.sock`;
    await plugin.listen(endpoint);
    const { handler, devices: offered } = bench.manager;
    const description = { type: 'DevicePlugin', name: GPU, endpoint, versions: ['v1beta1'] };
    await handler.register(description, signal);
    await bench.until(() => offered.amounts().capacity[GPU] === '2');
    await expect(handler.register({ ...description, versions: ['v1', 'v2'] }, signal)).rejects.toThrow(
      'manager version, v1beta1, is not among plugin supported versions [v1 v2]',
    );
    await expect(handler.register({ ...description, name: 'gpu' }, signal)).rejects.toThrow(
      'invalid name of device plugin socket: the ResourceName "gpu" is invalid',
    );
    handler.deregister(description);
    expect(offered.amounts()).toMatchObject({ capacity: { [GPU]: '2' }, allocatable: { [GPU]: '0' } });
    await plugin[Symbol.asyncDispose]();
  });

  it('reports a socket that another process serves', async () => {
    const bench = await createBench();
    await bench.manager[Symbol.asyncDispose]();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(bench.socket, resolve));
    const manager = await bench.restart();
    expect(manager.problem()).toMatch(/^device registration error: device plugin registration gRPC server failed/);
    other.close();
  });
});

describe('admission', () => {
  it('gives a pod devices of its own, with what their plugin wants it to have', async () => {
    const bench = await createBench();
    const { manager } = bench;
    await bench.plug({
      devices: [{ id: 'a', numaNodes: [0, 1] }, { id: 'b' }],
      allocate: (ids) => ({
        envs: { GPUS: ids.join(',') },
        mounts: [{ hostPath: '/lib/gpu', containerPath: '/gpu', readOnly: true }],
        devices: ids.map((id) => ({ hostPath: `/dev/${id}`, containerPath: `/dev/gpu-${id}`, permissions: 'rw' })),
        annotations: { 'example.com/gpus': ids.join(',') },
        cdiDevices: ids.map((id) => ({ name: `example.com/gpu=${id}` })),
      }),
    });
    const pod = podOf('one', [using('app', 2)]);
    expect(await manager.admit(pod)).toBeUndefined();
    expect(await manager.additions(pod, pod.spec!.containers[0]!)).toEqual({
      environment: { GPUS: 'a,b' },
      mounts: [{ hostPath: '/lib/gpu', containerPath: '/gpu', readOnly: true }],
      devices: [
        { hostPath: '/dev/a', containerPath: '/dev/gpu-a', permissions: 'rw' },
        { hostPath: '/dev/b', containerPath: '/dev/gpu-b', permissions: 'rw' },
      ],
      annotations: { 'example.com/gpus': 'a,b' },
      cdiDevices: ['example.com/gpu=a', 'example.com/gpu=b'],
    });
    expect(manager.devices.ofContainer('one', 'app')).toEqual([
      { resourceName: GPU, deviceIds: ['a'], numaNodes: [0, 1] },
      { resourceName: GPU, deviceIds: ['b'], numaNodes: [] },
    ]);
    expect(await manager.admit(podOf('two', [using('app', 1)]))).toEqual({
      reason: 'UnexpectedAdmissionError',
      message: `Allocate failed due to requested number of devices unavailable for ${GPU}. Requested: 1, Available: 0, which is unexpected`,
    });
    bench.ended.add('one');
    expect(await manager.admit(podOf('two', [using('app', 1)]))).toBeUndefined();
    expect(bench.idsOf('two')).toEqual(['a']);
  });

  it('ignores pods without devices and resources without a plugin', async () => {
    const bench = await createBench();
    const pod = podOf('one', [{ name: 'app', resources: { limits: { 'example.com/other': '1' } } }, { name: 'b' }]);
    expect(await bench.manager.admit(pod)).toBeUndefined();
    expect(await bench.manager.additions(pod, pod.spec!.containers[0]!)).toBeUndefined();
    expect(bench.manager.isDeviceResource('example.com/other')).toBe(false);
  });

  it('leaves resources of claims to those who provide them', async () => {
    const bench = await createBench();
    await bench.plug();
    const requestMappings = [{ containerName: 'app', resourceName: GPU, requestName: 'r' }];
    const status = { extendedResourceClaimStatus: { resourceClaimName: 'c', requestMappings } };
    const pod = { ...podOf('one', [using('app', 1), using('other', 1)]), status };
    expect(await bench.manager.admit(pod)).toBeUndefined();
    expect(['app', 'other'].map((name) => bench.idsOf('one', name))).toEqual([[], ['d0']]);
    expect(await bench.manager.additions(pod, pod.spec!.containers[0]!)).toBeUndefined();
  });

  it('hands devices of init containers over, and leaves sidecars theirs', async () => {
    const bench = await createBench();
    await bench.plug({ devices: devices(4) });
    const pod = podOf(
      'one',
      [using('app', 2)],
      [using('first', 1), using('sidecar', 1, { restartPolicy: 'Always' }), using('second', 2)],
    );
    expect(await bench.manager.admit(pod)).toBeUndefined();
    expect(['first', 'sidecar', 'second', 'app'].map((name) => bench.idsOf('one', name))).toEqual([
      ['d0'],
      ['d0'],
      ['d1', 'd2'],
      ['d1', 'd2'],
    ]);
  });

  it('prefers what the plugin prefers, as far as it may', async () => {
    const bench = await createBench();
    const plugin = await bench.plug({
      devices: devices(4),
      prefer: () => ['d3', 'unknown', 'd3', 'd2', 'd1', 'd0'],
    });
    expect(await bench.manager.admit(podOf('one', [using('app', 2)]))).toBeUndefined();
    expect(bench.idsOf('one')).toEqual(['d3', 'd2']);
    expect(plugin.calls.at(-2)).toBe('GetPreferredAllocation d0,d1,d2,d3');
    expect(await bench.manager.admit(podOf('two', [using('app', 1)]))).toBeUndefined();
    expect(bench.idsOf('two')).toEqual(['d1']);
  });

  it('prepares devices before each start, where the plugin asks for it', async () => {
    const bench = await createBench();
    const plugin = await bench.plug({ preStart: true });
    const pod = podOf('one', [using('app', 1)]);
    await bench.manager.admit(pod);
    const start = () => bench.manager.additions(pod, pod.spec!.containers[0]!);
    await start();
    await start();
    expect(plugin.calls.filter((call) => call === 'PreStartContainer d0')).toHaveLength(2);
    plugin.fault = () => {
      throw new Error('broken');
    };
    await expect(start()).rejects.toThrow(
      'device plugin PreStartContainer rpc failed with err: rpc error: code = Internal desc = broken',
    );
    plugin.fault = () => new Promise(() => undefined);
    const hung = expect(start()).rejects.toThrow('code = DeadlineExceeded desc = context deadline exceeded');
    await bench.until(() => plugin.calls.length === 7);
    await bench.clock.advance(30_000);
    await hung;
    await plugin[Symbol.asyncDispose]();
    await bench.until(() => bench.manager.devices.amounts().allocatable[GPU] === '0');
    await expect(start()).rejects.toThrow(`rpc failed with err: endpoint ${GPU} has been stopped`);
  });

  it('allocates to a container whose pod was admitted before its plugin came', async () => {
    const bench = await createBench();
    const pod = podOf('one', [using('app', 1)]);
    expect(await bench.manager.admit(pod)).toBeUndefined();
    await bench.plug();
    expect(await bench.manager.additions(pod, pod.spec!.containers[0]!)).toMatchObject({
      environment: { DEVICES: 'd0' },
    });
  });
});

describe('failures', () => {
  const rejected = (message: string) => ({
    reason: 'UnexpectedAdmissionError',
    message: `Allocate failed due to ${message}, which is unexpected`,
  });

  it('reject the pod, and free the devices of all its containers', async () => {
    const bench = await createBench();
    const plugin = await bench.plug();
    plugin.fault = (method, ids) => {
      if (method === 'Allocate' && ids.includes('d1')) throw new Error('no power');
    };
    const pod = podOf('one', [using('app', 1), using('b', 1)]);
    expect(await bench.manager.admit(pod)).toEqual(rejected('rpc error: code = Internal desc = no power'));
    expect(bench.idsOf('one')).toEqual([]);
    expect(await bench.manager.admit(podOf('two', [using('app', 1)]))).toBeUndefined();
    expect(bench.idsOf('two')).toEqual(['d0']);
  });

  it('ends the call of a hanging plugin after 25 seconds', async () => {
    const bench = await createBench();
    const plugin = await bench.plug();
    plugin.fault = () => new Promise(() => undefined);
    const admitting = bench.manager.admit(podOf('one', [using('app', 1)]));
    await bench.until(() => plugin.calls.includes('Allocate d0'));
    await bench.clock.advance(25_000);
    expect(await admitting).toEqual(rejected('rpc error: code = DeadlineExceeded desc = context deadline exceeded'));
    plugin.fault = undefined;
    expect(await bench.manager.admit(podOf('two', [using('app', 2)]))).toBeUndefined();
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it('rejects the pod when the plugin dies during the call', async () => {
    const bench = await createBench();
    const plugin = await bench.plug();
    plugin.fault = async () => plugin[Symbol.asyncDispose]();
    expect((await bench.manager.admit(podOf('one', [using('app', 1)])))?.message).toMatch(
      /^Allocate failed due to rpc error: code = (Unavailable|Canceled|Cancelled) desc = /,
    );
    await bench.until(() => bench.manager.devices.amounts().allocatable[GPU] === '0');
    expect(await bench.manager.admit(podOf('one', [using('app', 1)]))).toEqual(
      rejected(`no healthy devices present; cannot allocate unhealthy devices ${GPU}`),
    );
  });

  it('rejects the pod when the plugin answers nothing', async () => {
    const bench = await createBench();
    await bench.plug({ allocate: () => undefined });
    expect(await bench.manager.admit(podOf('one', [using('app', 1)]))).toEqual(
      rejected('no containers return in allocation response '),
    );
    expect(bench.idsOf('one')).toEqual([]);
  });

  it('ignores devices that vanish while the plugin allocates them', async () => {
    const bench = await createBench();
    const plugin = await bench.plug({ devices: [{ id: 'a', numaNodes: [1] }] });
    plugin.fault = async (method) => {
      if (method !== 'Allocate') return;
      plugin.setDevices([{ id: '' }, { id: 'b' }, { id: 'b', isHealthy: false }]);
      await bench.until(() => bench.manager.devices.amounts().capacity[GPU] === '2');
    };
    expect(await bench.manager.admit(podOf('one', [using('app', 1)]))).toBeUndefined();
    expect(bench.manager.devices.ofContainer('one', 'app')).toEqual([
      { resourceName: GPU, deviceIds: ['a'], numaNodes: [] },
    ]);
    expect(bench.manager.devices.amounts().allocatable).toEqual({ [GPU]: '1' });
  });

  it('leaves nothing of a cancelled request', async () => {
    const bench = await createBench();
    const plugin = await bench.plug();
    plugin.fault = () => new Promise(() => undefined);
    const controller = new AbortController();
    const admitting = bench.manager.admit(podOf('one', [using('app', 1)]), controller.signal);
    await bench.until(() => plugin.calls.includes('Allocate d0'));
    controller.abort(new Error('the pod is no longer desired'));
    await expect(admitting).rejects.toThrow('the pod is no longer desired');
    expect(bench.idsOf('one')).toEqual([]);
  });

  it('rejects the pod when the disk fails, because a restart would give its devices to others', async () => {
    const bench = await createBench();
    await bench.plug();
    const { files } = bench;
    files.replaceFile = () => Promise.reject(new Error('disk full'));
    expect(await bench.manager.admit(podOf('one', [using('app', 1)]))).toEqual(
      rejected('failed to write checkpoint file "kubelet_internal_checkpoint": disk full'),
    );
    expect(bench.idsOf('one')).toEqual([]);
  });

  it('reports unhealthy devices to their pods', async () => {
    const bench = await createBench();
    const plugin = await bench.plug();
    await bench.manager.admit(podOf('one', [using('app', 1)]));
    const changed: string[] = [];
    bench.manager.healthChanges$.subscribe((uid) => changed.push(uid));
    const health = () => bench.manager.resourceHealth('one', 'app');
    expect(health()).toEqual([{ name: GPU, resources: [{ resourceID: 'd0', health: 'Healthy' }] }]);
    plugin.setDevices([{ id: 'd0', isHealthy: false }, { id: 'd1' }]);
    await bench.until(() => changed.length === 1);
    expect(changed).toEqual(['one']);
    expect(health()).toEqual([{ name: GPU, resources: [{ resourceID: 'd0', health: 'Unhealthy' }] }]);
    expect(await bench.manager.admit(podOf('one', [using('app', 1)]))).toEqual(
      rejected(`previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${GPU}`),
    );
    expect(bench.idsOf('one')).toEqual(['d0']);
  });
});

describe('a restart', () => {
  it('leaves running pods their devices, before their plugins have come back', async () => {
    const bench = await createBench();
    const plugin = await bench.plug({ devices: devices(3) });
    const pod = podOf('one', [using('app', 2)]);
    await bench.manager.admit(pod);
    await bench.manager.admit(podOf('stopped', [using('app', 1)]));
    await plugin[Symbol.asyncDispose]();
    bench.running.add('one');
    const manager = await bench.restart();
    expect(manager.devices.wereUnknown).toBe(false);
    expect(manager.devices.amounts()).toEqual({ capacity: { [GPU]: '0' }, allocatable: { [GPU]: '0' }, removed: [] });
    expect(manager.devices.inUseWith('one')).toEqual({ [GPU]: 3 });
    expect(await manager.admit(pod)).toBeUndefined();
    expect((await manager.admit(podOf('stopped', [using('app', 1)])))?.message).toContain('no healthy devices present');
    expect(await manager.additions(pod, pod.spec!.containers[0]!)).toMatchObject({ environment: { DEVICES: 'd0,d1' } });
    bench.ended.add('stopped');
    await manager.freeDevices();
    await bench.plug({ devices: devices(3) });
    await manager.admit(podOf('two', [using('app', 1)]));
    expect(bench.idsOf('two')).toEqual(['d2']);
  });

  it('leaves all pods their devices when the runtime cannot list the running ones', async () => {
    const bench = await createBench();
    const plugin = await bench.plug();
    const pod = podOf('one', [using('app', 1)]);
    await bench.manager.admit(pod);
    await plugin[Symbol.asyncDispose]();
    bench.runtime.isBroken = true;
    const manager = await bench.restart();
    expect(await manager.admit(pod)).toBeUndefined();
    expect(await manager.additions(pod, pod.spec!.containers[0]!)).toMatchObject({ environment: { DEVICES: 'd0' } });
    expect((await manager.admit(podOf('two', [using('app', 1)])))?.message).toContain('no healthy devices present');
  });

  it('restores the allocations before a plugin of the plugin watcher lists its devices', async () => {
    const bench = await createBench();
    const plugin = await bench.plug();
    await bench.manager.admit(podOf('one', [using('app', 1)]));
    const endpoint = `${bench.root}/watched.sock`;
    await using watched = createTestDevicePlugin({ resource: GPU, devices: devices(2) });
    await watched.listen(endpoint);
    await plugin[Symbol.asyncDispose]();
    const manager = await bench.restart({ isStarted: false });
    const registering = manager.handler.register(
      { type: 'DevicePlugin', name: GPU, endpoint, versions: ['v1beta1'] },
      signal,
    );
    // Time for a list that comes too early.
    await sleep(systemClock, 200);
    await manager.start(signal);
    await registering;
    await bench.until(() => manager.devices.amounts().capacity[GPU] === '2');
    expect(bench.idsOf('one')).toEqual(['d0']);
    await manager.admit(podOf('two', [using('app', 1)]));
    expect(bench.idsOf('two')).toEqual(['d1']);
  });

  it('knows nothing without a checkpoint, and starts without a damaged one', async () => {
    const bench = await createBench();
    expect(bench.manager.devices.wereUnknown).toBe(true);
    await bench.plug();
    await bench.manager.admit(podOf('one', [using('app', 1)]));
    const path = `${bench.directory}/kubelet_internal_checkpoint`;
    const text = await readFile(path, 'utf8');
    for (const damaged of [text.slice(0, -9), text.replace('d0', 'd1'), '', '[]', '{"Data":{},"Checksum":1}']) {
      await bench.manager[Symbol.asyncDispose]();
      await writeFile(path, damaged);
      const manager = await bench.restart();
      expect(manager.devices.inUseWith('one')).toBeUndefined();
      expect(manager.devices.wereUnknown).toBe(false);
      expect(bench.logger.lines.at(-1)).toMatchObject({ level: 'error' });
    }
  });
});

it('serves thousands of devices', async () => {
  const bench = await createBench();
  await bench.plug({ devices: devices(5_000) });
  for (let index = 0; index < 50; index += 1)
    expect(await bench.manager.admit(podOf(`pod-${String(index)}`, [using('app', 100)]))).toBeUndefined();
  expect(new Set(Array.from({ length: 50 }, (_one, index) => bench.idsOf(`pod-${String(index)}`)).flat()).size).toBe(
    5_000,
  );
});
